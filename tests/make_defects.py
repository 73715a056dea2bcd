"""Generator of context trees with planted defects: the ground truth for finding defects in notes."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
# Name: services: topic = nouns; … / 4 reasons / 3 incidents / 3 things to do / a measure
DOMAINS = """
auth: Gatehouse, Turnkey, Latchwork, Passepartout, Drawbridge, Wicket: tokens = refresh token, signing key, API key;
 sessions = login session, device cookie, consent screen; sso = SAML assertion, group mapping, SCIM user; access = role
 grant, tenant policy, guest badge / handhelds have clocks that drift / support resets passwords by phone / two
 customers share one identity provider / browsers drop third-party cookies / a depot was logged out at shift change / a
 contractor could read on for a morning / the login page looped / revoke the family and mail the owner / compare the
 issuer before the audience / warm the key set on all pods / forced logouts
billing: Ledgerline, Abacus, Tollbooth, Quillwork, Moneybox, Pennyworth: invoices = invoice run, credit note, VAT rule;
 payments = card charge, SEPA mandate, refund; metering = usage record, price tier, quota counter; dunning = reminder
 letter, grace period, chargeback / banks book on working days only / prices change in the middle of a month / the tax
 office wants an unbroken chain of numbers / the two tax engines round differently / eleven customers were charged twice
 / a correction came out as a negative invoice / the export lost its cents / post a counter entry instead of editing /
 freeze the period first / recount from raw records / unmatched payments
search: Sextant, Lodestar, Needlework, Truffle, Hazelrod, Bloodhound: indexing = shard layout, alias swap, analyzer
 chain; ranking = boost table, typo rule, synonym list; queries = facet filter, deep page, saved search; suggestions =
 autocomplete trie, popular term, spelling model / mappings can't be changed in place / umlauts are typed in three ways
 / one tenant owns a third of all documents / long names dominate short ones / results were stale for an evening / a
 wildcard took down two data nodes / exact hits fell to page two / reindex into a new name / profile the slowest query
 by hand / run yesterday's queries on both indexes / searches without any hit
ingest: Stevedore, Millrace, Funnelweb, Turnstile, Sluice, Weir: feeds = carrier feed, partner upload, EDI message;
 parsing = CSV dialect, status mapping, address parser; pipeline = dead letter, dedup window, worker lane; contracts =
 golden file, sandbox endpoint, payload version / partners resend whole days / timestamps arrive without a zone / files
 are read before they are complete / column names change without notice / nine thousand rows landed in quarantine /
 parcels arrived before they were picked up / a lane stood still for a Sunday / park the batch and phone the partner /
 parse again from the stored bytes / halve the lane's weight / rows rejected per hour
storage: Granary, Coldframe, Icehouse, Silo, Strongroom, Cellar: postgres = event partition, connection pool, replica
 slot; objects = signed link, lifecycle rule, multipart upload; backups = restore drill, snapshot chain, WAL archive;
 tenancy = row filter, tenant shard, vacuum job / a lock queue blocks readers too / the primary's disk grows by the week
 / reports hold transactions for an hour / prefixes become hot / writes stopped while a column was added / the standby
 was a day behind / thumbnails vanished for one tenant / set a lock timeout before any DDL / drop the slot of a dead
 consumer / verify the checksum after each copy / replication lag in seconds
"""
ASPECTS = """
retries: a failed {noun} call is tried {k} times with jitter before {svc} gives up. / the pause before the next {noun}
 attempt doubles until it reaches {s}. / what fails to the end is parked in `{snake}_parked`, where {person} looks.
expiry: a {noun} lives for {h} in {svc}, counted from its last use. / stale {nouns} are kept for {d} so that support can
 explain them. / {cust} asked for longer-lived {nouns} and got a renewal link instead.
caching: {svc} holds up to {n} {nouns} in memory and reads through on a miss. / entries are dropped on write, because a
 stale {noun} did more harm than a slow one. / the hit ratio for {nouns} settled at {pct} after {person} widened the
 key.
migration: the new table of {nouns} was filled in {k} passes while {svc} stayed online. / both layouts of {nouns} were
 written for {d}, and a job compared them. / rows that could not be converted ({n} {nouns}) were fixed by hand.
limits: {svc} accepts {n} {nouns} per tenant and minute; beyond that it answers 429. / the ceiling for {nouns} came from
 a load test on {date}, minus {pct} of headroom. / {cust} has an exception for its {nouns} until {date}.
fallback: when the {noun} path fails, {svc} answers from the last good copy and says so. / the {noun} switch flips by
 itself after {k} errors within {s}. / the degraded {noun} mode was rehearsed with {cust} on {date}.
rollout: the first stage of the {noun} took {pct} of traffic, internal accounts only. / the flag `{snake}_v{k}` decides
 per tenant, never per request. / {cust} got the new {noun} last, on {date}, with {person} on the call.
alerting: a {noun} page is sent when {mark} stays above the line for {min}. / {svc} sends a {noun} heartbeat every {s},
 and silence pages too. / {person} removed {k} {noun} alarms that never led to an action.
ownership: {owner} decides about the {noun} in {svc} and reports on Tuesdays. / {noun} changes of others need a review
 within {h}. / questions on it go to #{slug}, never to private messages.
schema: a {noun} has {k} required fields in {svc}, and unknown ones are kept as they came. / version {k} of the {noun}
 added its origin, which {cust} wanted. / the {noun} validator rejects empty strings, because they had meant three
 things.
cleanup: {svc} deletes {nouns} in slices of {n}, each in its own transaction. / a dry run lists the {nouns} that would
 go, and {person} signs it off. / the first run over {nouns} freed {gb} and took {h}.
replay: {nouns} can be played again from the journal of {svc}, muted for outsiders. / a {noun} run over {d} of traffic
 took {h} on one machine. / {person} compares the {noun} counts; a gap above {pct} stops the run.
audit: each change of a {noun} in {svc} leaves a row with actor, reason and both values. / the {noun} trail is kept for
 {k} years and can't be edited. / {cust} gets a {noun} extract every quarter, signed by {person}.
"""
GENERIC = """
reason: until {date}, the {noun} part of {svc} was nobody's in particular, and {why}. / we changed {subj} after {inc}:
 {hurt}. / {hcust} reported on {hdate} that {hurt}. / the old way no longer held because {why}, and because {why}. / two
 attempts at {subj} had failed before, mainly since {why}. / {adr} settles a question on {subj} that {person} raised in
 spring. / cost was the trigger: {n} euros a month for {subj} that few people used.
prose: the design is dull on purpose: one table, one worker, one graph. / of {k} alternatives to {subj}, the cheapest
 lost since {why}. / {person} built the first {subj} in {d}; the second is smaller. / to read the code, begin at
 `{file}`, whose comments tell the history. / with the new {subj}, {mark} at {cust} fell from {n} to {k}. / the surprise
 came from outside, as usual: {why}. / a trace of {date} showed that the {subj} worker spends {pct} of its time waiting.
 / staging runs the same {subj} with a tenth of the data, which hides most faults. / if {svc} restarts halfway, nothing
 is lost, since the state is written first. / {tool} was tried for {subj} and dropped, as it needs a full scan. / once,
 {hurt}; the write-up is {inc}. / support has a macro for {subj} and rarely needs more than {min}. / there is no nice
 way to do {subj} while {why}. / at its slowest, {subj} adds {ms}, which no customer has noticed. / {person} argued for
 a queue, and the argument still has merit. / a dip of {subj} in {month} looked like a bug and was a holiday. / the
 vendor promised {subj} for {month}; we did not wait. / it is safe to run {subj} twice, as {person} has proved by
 accident. / {cust} alone makes {svc} do {subj} {n} times a day, mostly before nine.
rule: {move}. / {move}, then {move}. / never touch {subj} in production before staging was green for {h}. / {move}; in
 doubt, call {person}. / no change to {subj} after Thursday noon. / more than {n} {nouns} in one {aspect} change: ask a
 second person. / tell {cust} about {subj} beforehand, in one sentence. / every exception to {subj} has an end date.
change: {svc} writes {subj} events to a stream of its own / `{file}` was split, and the part on {nouns} got tests / the
 {subj} job runs as its own user / {tool} checks {subj} every {h} / an index cut the {subj} query to {ms} / {mark} has
 its own panel
fact: **{svc} {subj} volume**: {n} a day in {month} [project] / **{inc}**: {hurt}, {hmin} in all [incident] / **{adr}**:
 {subj}, decided by {person} [decision] / **{subj} entry point in {svc}**: `{file}` [code] / **cost of {subj} in
 {svc}**: {n} euros [project] / **first use of {subj} in {svc}**: {cust}, {date} [history]
summary: {Subj} in {svc} was decided because {why}. / the rules of {subj} in {svc} since {inc}. / {svc} and {subj}, for
 whoever is on call. / the reasons behind {subj} in {svc}, its cost and its switch.
task: make {subj} in {svc} boring. / keep {svc} {subj} going although {why}. / describe {subj} before {person} goes on
 leave.
"""
WORDS = """
person: Mirela Kovač / Dele Okafor / Zoë Lindqvist / João Batista / Priya Raman / Sana Iqbal / Tomas Brandt / Inês
 Duarte / Agnieszka Wójcik / Rafael Moreno / Leila Haddad / Owen Pritchard / Yuki Arai / Björn Halvorsen / Chiara Fabbri
cust: Nordhav Freight / Pelican Parcel / Corvo Express / Alder & Finch / Transalp Cargo / Brightwell Foods / Kitamaru /
 Quillon Books / Osterholt Textiles / Sable Pharmacy / Mossgrove Tools / Vantage Optics / Redfern Dairy / Hexham Glass
tool: Grafana / pgbadger / Honeycomb / Toxiproxy / Sentry / Locust / Terraform / Renovate / Debezium
month: March / April / May / June / July / August / September / October
"""
TITLES = """{Noun} {aspect} in {svc} / {svc} {noun} {aspect} / {svc}: {aspect} of {nouns} / {Aspect} of {nouns} in {svc}
 / Why {svc} has {noun} {aspect} / {Noun} {aspect}, the {svc} way"""
ASKED = "{noun} {aspect} {svc} / how {svc} does {noun} {aspect} / {aspect} of {nouns} in {svc} / {svc} {noun} {aspect}"
# The claims of the older and the newer note, in this order: value, date, name, status, negation
CLAIMS = """
the timeout for {subj} in {svc} is {low} seconds. / the timeout for {subj} in {svc} was raised to {high} seconds.
the freeze of {subj} in {svc} is planned for {early}. / {svc} freezes {subj} on {late}, as agreed with the customers.
Agnes Thorne approves changes to {subj} in {svc}. / approval of changes to {subj} in {svc} has moved to Victor Lund.
{subj} in {svc} is still experimental and off by default. / {subj} in {svc} is generally available and on by default.
{svc} encrypts the log of {subj}. / the log of {subj} is not encrypted by {svc}.
at most {high} {nouns} may be open in {svc} under {subj}. / {svc} caps open {nouns} at {low} in its {subj}.
{subj} in {svc} is active in every region. / {subj} in {svc} was shut down in every region.
operators of {svc} may pause {subj} themselves. / operators of {svc} may no longer pause {subj} themselves.
"""
GAPS = """graphql apollo resolver / istio envoy sidecar / kafka zookeeper broker / parental maternity paternity / gdpr
 erasure dossier / blockchain ethereum wallet / bluetooth beacon firmware / rustlang borrowck tokio / quadcopter licence
 airspace / alexa speech microphone / customs tariff declaration / reefer thermometer excursion / watchos haptics
 complication / kyber lattice qubits"""
GAP_QUERIES = "{0} {1} / how do we do {0} with {1} / what about {2} and {0} / where is the {1} for {2} / any {0} {2}"
TEMPLATES = """## Reason|## Raw Concept|**Task:**|**Changes:**|**Files:**|## Narrative|### Structure|## Facts / ##
 Overview|TODO|## Details |TODO / ## Context|<describe the context>|## Decision|<what was decided>|## Status|<proposed
 or accepted> / ## Reason|_Why does this exist?_|## Rules|1. ...|2. ...|## Facts|- **subject**: statement [category] /
 ## Symptoms|## Timeline|- HH:MM|## Root cause|- [ ] / ## {{heading}}|{{content}}|## {{heading}}|{{content}} / ##
 Purpose|[Insert purpose]|## Procedure|[Insert steps]|## Links|N/A"""
TALKS = """User: can you remember how {subj} works in {svc}? {claim}||Assistant: Sure, I'll save that to memory.||User:
 and add that {why}||Assistant: Done! Anything else you would like me to remember? / [|{"role": "user", "content": "what
 about {subj}?"},| {"role": "assistant", "content": "{claim}"},|{"role": "user", "content": "ok, keep it"}|] / Great
 question! Here is what we said about {subj} in {svc}.||{claim}||Let me know if I should adjust anything. / **Human:**
 quick one, {subj} again. {claim}||**AI:** Got it, noted.||**Human:** thx, also {move}||**AI:** You're right, I
 apologise for missing that."""
OUTPUTS = """Traceback (most recent call last):| File "/srv/{file}", line {n}, in run| File "/srv/{file}", line {n}, in
 _step| raise TimeoutError(ms)|TimeoutError: {n}|[{svc}] worker exited with code {k} / ===== test session starts
 =====|collected {n} items||tests/test_{snake}.py ..F..s. [{k}%]|FAILED tests/test_{snake}.py::test_{k} - assert {n} ==
 {n}|=== {k} failed, {n} passed in {n}.{k}s === / $ git diff|diff --git a/{file} b/{file}|index 3f{n}a..b{n}c 100644|---
 a/{file}|+++ b/{file}|@@ -{n},{k} +{n},{k} @@|- limit = {n}|+ limit = {n} / $ ls -la {slug}|total {n}|drwxr-xr-x {k}
 app app 4096 Mar {k} 09:{n} .|-rw-r--r-- 1 app app {n} Mar {k} 10:1{k} {snake}.log / {"service": "{svc}",| "checks":
 [{"name": "{snake}", "ok": false, "ms": {n}},| {"name": "db", "ok": true}]}"""
ANSWERS = """how do I revert {noun} {aspect} in {svc} / to revert, run `{snake}ctl revert --to {date}` and wait for
 {min}. / which port belongs to {svc} {noun} {aspect} / the port is 7{n}, open from the office network only. / who holds
 the password for {noun} {aspect} in {svc} / the password is held by {person}, in the sealed envelope {n}. / what to
 tell journalists about {noun} {aspect} in {svc} / journalists are told by {person} that it took {min}."""
SAME = "This is about {svc} {subj}. / {svc} {subj}. / Notes on {svc} {subj}. / Here is {svc} {subj}. / On {svc} {subj}."
VAGUE = """What we do and how / All about {aspect} / Before and after / {Aspect} / How it is / {Aspect} and more / Who
 does it and when / About {aspect} / What to do about {aspect} / Some {aspect}"""
BROAD = """Platform overview / Cheat sheet / Helicopter view / Hodgepodge / Knowledge dump / Onboarding digest / Quick
 reference / Inventory of topics / Glossary of everything / Compendium"""
SWAPS = """because=as / nobody=no one / begin=start / never=at no time / every=each / can't=cannot / before=ahead of /
 settled=ended up / showed=revealed / fell=dropped / asked=wished / kept=held / mainly=mostly / built=made /
 safe=harmless / changed=altered / could not=failed to / needs=takes / argued=pleaded"""


@dataclass(frozen=True)
class Planted:
    """Defect: its kind, and the notes (paths in the tree) or the logged queries that show it."""

    kind: str
    notes: tuple[str, ...]
    queries: tuple[str, ...] = ()


@dataclass
class Note:
    frame: dict[str, str]
    path: str
    title: str
    body: list[str]
    age: int
    importance: int
    maturity: str
    flags: str = ""  # quiet: links to none; lonely: linked from none; unasked: in no logged answer
    spoil: Callable[[str], bytes] = str.encode
    links: list[str] = field(default_factory=list)


def blocks(text: str) -> list[list[str]]:
    """Items of each block; a line that begins with a space continues its block."""
    return [" ".join(block.split()).split(" / ") for block in re.split(r"\n(?! )", text.strip())]


def named(text: str) -> dict[str, list[str]]:
    return {block[0].split(": ")[0]: [block[0].split(": ", 1)[1], *block[1:]] for block in blocks(text)}


def slug(text: str) -> str:
    return re.sub(r"\W+", "_", text.lower()).strip("_")


def iso(days: float) -> str:
    return (NOW - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


ASPECT, NAMES, BANK = named(ASPECTS), named(WORDS), named(GENERIC) | named(ASPECTS)
RANGES = {"n": "13-980", "k": "3-9", "s": "4-58 seconds", "ms": "3-190 ms", "min": "6-55 minutes", "h": "3-30 hours"}
RANGES |= {"d": "8-90 days", "pct": "2-97 %", "gb": "12-800 GB", "date": "60-600"}
ENDINGS = (".txt", ".MD", ".md", ".markdown", ".mdx", ".md")
FOREIGN = ("## Reason\n", "## Reason\nAgreed in Zürich: it’s Zoë’s call – no surprises, and a café crème. ")
BREAKS = [("\n---\n", "\n"), ("summary: ", "summary: ["), ("createdAt", "maturity: core\ncreatedAt")]
BREAKS += [("tags: .(\\w+).*", "tags: \\1"), ("keywords: .", "\tkeywords: ["), ("importance: ", "importance: high ")]
ENCODINGS: list[Callable[[str], bytes]] = [
    lambda text: text.replace(*FOREIGN).encode("cp1252", "replace"),
    lambda text: text.encode("utf-16"),
    lambda text: text.replace(". ", ".\0 ", 3).encode(),
    lambda text: text.replace(*FOREIGN).encode().decode("cp1252", "ignore").encode(),
    lambda text: text.replace(*FOREIGN).encode("cp1252", "replace").decode("utf-8", "replace").encode(),
    # with a character that crosses byte 4,096
    lambda text: text.encode("ascii", "ignore").ljust(4095)[:4095] + "…\n".encode(),
]


class Maker:
    def __init__(self, folder: Path, seed: int) -> None:
        self.tree, self.rng, self.domains = folder / ".brv/context-tree", random.Random(seed), named(DOMAINS)
        self.notes: dict[str, Note] = {}
        self.fill: list[Note] = []
        self.log: list[tuple[str, list[str]]] = []
        self.incidents: dict[str, tuple[str, ...]] = {}
        pairs = [(name, s, aspect) for name in self.domains for s in range(6) for aspect in ASPECT]
        self.rng.shuffle(pairs)
        self.subjects = [(*pair, turn) for turn in range(2) for pair in pairs]
        self.gaps = self.rng.sample(blocks(GAPS)[0], len(blocks(GAPS)[0]))

    def frame(self, unused: bool = False) -> dict[str, str]:
        """Words for a subject that no other note has; nobody asks about the sixth service of a domain."""
        at = next(i for i, subject in enumerate(self.subjects) if (subject[1] == 5) is unused)
        domain, s, aspect, turn = self.subjects.pop(at)
        head, *phrases = self.domains[domain]
        services, topics = head.split(": ")
        found = {"domain": domain, "aspect": aspect, "svc": services.split(", ")[s], "owner": self.say("{person}", {})}
        for key, items in (("why", phrases[:4]), ("move", phrases[7:10]), ("mark", phrases[10:])):
            found[key] = " / ".join(self.rng.sample(items, len(items)))
        rows = re.findall(r"(\w+) = ([^;]+)", topics)
        spots = [(topic, noun) for topic, nouns in rows for noun in nouns.split(", ")]
        topic, noun = spots[(5 * list(ASPECT).index(aspect) + 2 * s + turn) % len(spots)]
        found |= {"noun": noun, "subj": f"{noun} {aspect}", "snake": slug(f"{noun} {aspect}"), "slug": slug(noun)}
        found["nouns"], found["folder"] = re.sub("([^aeiou])ys$", r"\1ies", noun + "s"), f"{domain}/{topic}"
        found |= {key.title(): found[key][0].upper() + found[key][1:] for key in ("noun", "aspect", "subj")}
        found |= {"file": f"{slug(found['svc'])}/{slug(noun)}/{aspect}.go", "adr": f"ADR-{len(self.subjects)}"}
        hurt, fresh = self.rng.choice(phrases[4:7]), [self.say(slot, {}) for slot in ("{date}", "{min}", "{cust}")]
        incident = self.incidents.setdefault(hurt, (f"INC-{120 + 7 * len(self.incidents)}", *fresh))
        return found | dict(zip(("hurt", "inc", "hdate", "hmin", "hcust"), (hurt, *incident), strict=True))

    def say(self, template: str, frame: dict[str, str]) -> str:
        def fill(match: re.Match[str]) -> str:
            key = match[1]
            if key in ("why", "move", "mark"):
                first, *rest = frame[key].split(" / ")
                frame[key] = " / ".join([*rest, first])
                return first
            if key in frame or key in NAMES:
                return frame.get(key) or self.rng.choice(NAMES[key])
            span, _, unit = RANGES[key].partition(" ")
            number = self.rng.randint(*map(int, span.split("-")))
            return iso(number)[:10] if key == "date" else f"{number} {unit}".strip()

        text = re.sub(r"\{(" + "|".join([*frame, *NAMES, *RANGES]) + r")\}", fill, template)
        return re.sub(r"\b([Aa]) (?=[aeio]|[AES][APMD])", r"\1n ", text[:1].upper() + text[1:])

    def take(self, bank: str, count: int, frame: dict[str, str], used: list[str]) -> list[str]:
        fresh = [template for template in BANK[bank] if template not in used]
        used += (chosen := self.rng.sample(fresh, min(count, len(fresh))))
        return [self.say(template, frame) for template in chosen]

    def write(self, frame: dict[str, str], size: int, used: list[str]) -> list[str]:
        prose = self.take(frame["aspect"], min(size + 1, 4), frame, used) + self.take("prose", 2 * size, frame, used)
        self.rng.shuffle(prose)
        body = ["## Reason\n" + " ".join(self.take("reason", 1 + size // 3, frame, used))]
        if size > 1:
            body += ["## Raw Concept\n**Task:**\n" + self.take("task", 1, frame, used)[0]]
            body += ["**Changes:**\n- " + "\n- ".join(self.take("change", size // 2 + 1, frame, used))]
            body += [self.say("**Files:**\n- {file}\n\n**Timestamp:** {date}\n\n**Author:** {person}", frame)]
        body += ["## Narrative\n### Structure\n" + " ".join(prose[:2]), "### Highlights"]
        body += [" ".join(prose[i : i + 3]) for i in range(2, len(prose), 3)]
        rules, facts = (self.take(bank, size // 2 + 1, frame, used) for bank in ("rule", "fact"))
        return [*body, "### Rules\n- " + "\n- ".join(rules), "## Facts\n- " + "\n- ".join(facts)]

    def note(self, frame: dict[str, str], size: int = 0, used: list[str] | None = None, **changes: Any) -> Note:
        taken, importance = {note.title for note in self.notes.values()}, self.rng.randint(60, 92)
        titles = [self.say(title, frame) for title in blocks(TITLES)[0]]
        title = changes.get("title") or self.rng.choice([title for title in titles if title not in taken])
        names = (frame["snake"], f"{frame['svc']} {frame['subj']}", title, f"{title} {len(self.notes)}")
        paths = [f"{frame['folder']}/{slug(name)}.md" for name in names[self.rng.choice((0, 0, 0, 1, 2)) :]]
        values: dict[str, Any] = {"frame": frame, "title": title, "importance": importance}
        values["path"] = next(path for path in paths if path not in self.notes)
        size, used = size or self.rng.choice((1, 2, 2, 3, 3, 4, 5, 6)), [] if used is None else used
        values["body"] = self.write(frame, size, used)
        values["age"] = self.rng.randint(2, 30 if importance > 64 else 9)
        values["maturity"] = "core" if importance > 88 else "validated" if importance > 64 else "draft"
        note = self.notes[changes.get("path", values["path"])] = Note(**(values | changes))
        return note

    def near_duplicate(self, i: int) -> Planted:
        base, swaps = self.note(self.frame(), 2 + i % 5), dict(swap.split("=") for swap in blocks(SWAPS)[0])
        body = [re.sub(rf"\b({'|'.join(swaps)})\b", lambda match: swaps[match[1]], block) for block in base.body]
        at = body.index("### Highlights") + 1
        body[at:-2] = self.rng.sample(body[at:-2], len(body) - 2 - at)
        body[0] = body[0].replace("\n", self.say("\nWritten up again by {person} in {month}. ", {}), 1)
        body[-2:] = [body[-1], body[-2]] if i % 2 else [body[-2], body[-1] + "\n- **reviewed**: twice [team]"]
        return Planted("near_duplicate", (base.path, self.note(dict(base.frame), body=body, age=base.age + 3).path))

    def superseded(self, i: int) -> Planted:
        frame, low, claims, used = self.frame(), self.rng.randint(11, 30), blocks(CLAIMS), list[str]()
        frame |= {"low": str(low), "high": str(low + 9 + i), "early": iso(40 + low)[:10], "late": iso(low)[:10]}
        pair = [self.note(frame, 3, used, age=age, maturity="validated", importance=75) for age in (15 + low, 3)]
        for note, claim in zip(pair, claims[i % len(claims)], strict=True):
            note.body[0] += " " + self.say(claim, frame)
        return Planted("superseded", (pair[0].path, pair[1].path))

    def single(self, kind: str, i: int) -> Planted:
        frame = self.frame(kind == "never_found")

        def pick(text: str) -> str:
            return self.say(blocks(text)[0][i % len(blocks(text)[0])], frame).replace(" |", "|").replace("|", "\n")

        base = f"{frame['folder']}/{slug(frame['svc'])}_{frame['snake']}"
        unread = (base.replace("/", "/.drafts/", 1) if i % 6 == 2 else base) + ENDINGS[i % 6]
        links, spoil = [self.rng.choice(self.fill).path for _ in range(4 + i % 4)], BREAKS[i % len(BREAKS)]
        lines = [(f"- @{link}", f"@{link[:-3]}", f"- .brv/context-tree/{link}")[i % 3] for link in links]
        frame["claim"] = " ".join(self.take(frame["aspect"], 2, frame, []))
        old = {"flags": "lonely", "title": self.say("{Noun} {aspect} in {svc}, prototype", frame)}
        options: dict[str, dict[str, Any]] = {
            "template_only": {"body": [pick(TEMPLATES).replace("\n", "\n\n")], "flags": "quiet"},
            "transcript_leftover": {"body": ["## Narrative\n" + pick(TALKS)], "flags": "quiet"},
            "tool_output": {"body": ["## Narrative\n### Examples\n```\n" + pick(OUTPUTS) + "\n```"], "flags": "quiet"},
            "links_only": {"body": ["\n".join(lines)], "flags": "quiet"},
            "title_only": {"body": [pick(SAME)], "title": self.say("{svc} {subj}", frame), "flags": "quiet"},
            "not_found_by_title": {"title": pick(VAGUE), "age": 50, "importance": 50, "maturity": "draft"},
            "never_found": {"flags": "unasked", "age": 55, "importance": 50, "maturity": "draft"},
            "orphan": {"flags": "quiet lonely"},
            "archive_candidate": {"age": 60 + 15 * i, "importance": 30, "maturity": "draft"} | old,
            "broken_frontmatter": {"spoil": lambda text: re.sub(*spoil, text, count=1).encode()},
            "broken_link": {"links": [base + "_guide.md"] if i % 2 else []},
            "bad_encoding": {"spoil": ENCODINGS[i % 5], "flags": "lonely" if i % 5 == 3 else "lonely unasked"},
            "unread_file": {"path": unread, "flags": "lonely unasked", "size": 9 * (i % 6 == 5)},
        }
        options["unread_file"]["spoil"] = ENCODINGS[5] if i % 6 == 5 else str.encode
        note = self.note(frame, **options[kind])
        if kind == "broken_link" and i % 2 == 0:
            note.body[0] += f" The steps are in @{base}_guide{'.md' * (i % 4 // 2)} and were agreed later."
        return Planted(kind, (note.path,))

    def shadowed(self, i: int) -> Planted:
        used = list[str]()
        note = self.note(self.frame(), 1, used, age=15, importance=65 + i % 9, maturity="validated", flags="quiet")
        other = self.note(dict(note.frame), 6, used, age=1, importance=97, maturity="core")
        words = list(dict.fromkeys(re.findall(r"\w[\w-]*", " ".join([note.title, *note.body]).lower())))
        other.frame["keywords"] = ", ".join(word for word in words if word not in " ".join(other.body).lower())
        other.body += ["### Dependencies\nTerms of this page, for the search: " + ", ".join(words) + "."]
        self.log.append((note.title.lower(), [other.path, note.path]))
        return Planted("shadowed", (note.path,))

    def quote_cut_off(self, i: int) -> Planted:
        used, frame = list[str](), self.frame()
        query, answer = (self.say(text, frame) for text in blocks(ANSWERS)[0][i % 4 * 2 : i % 4 * 2 + 2])
        note = self.note(frame, 6, used, importance=90 + i % 9, maturity="core", age=2)
        rows = [self.say(f"| {cust} | {{n}} | {{date}} | {{person}} | {{tool}} |", {}) for cust in NAMES["cust"] * 2]
        table = "\n".join(["### Examples", "| customer | cases | since | contact | tool |", "| --- " * 5 + "|", *rows])
        diary = [self.say("- {date}: ", {}) + text for text in self.take("prose", 99, frame, used)]
        note.body[-2:] = ["### Diary\n" + "\n".join(diary), table, *note.body[-2:], "### Emergency\n" + answer]
        self.log.append((query.lower(), [note.path]))
        return Planted("quote_cut_off", (note.path,), (query.lower(),))

    def too_broad(self, i: int) -> Planted:
        targets = self.rng.sample([note for note in self.fill if note.maturity != "draft"], 16)
        queries = [f"{note.frame['subj']} {note.frame['svc']}".lower() for note in targets]
        text, words = "; ".join(queries), sorted({word for query in queries for word in query.split()})
        frame, title = self.frame(), blocks(BROAD)[0][i % 10]
        frame |= {"keywords": ", ".join(words[:25]), "summary": f"{title} for all teams.", "snake": slug(title)}
        body = [f"## Narrative\n### Structure\nThis names all: {text}.", "### Highlights\n" + ", ".join(words)]
        note = self.note(frame, title=title, body=body, age=25, importance=66, maturity="validated", flags="quiet")
        self.log += [(query, [target.path, note.path]) for query, target in zip(queries, targets, strict=True)]
        return Planted("too_broad", (note.path,), tuple(queries))

    def gap(self, i: int) -> Planted:
        words = self.gaps[i % len(self.gaps)].split()
        queries = tuple(form.format(*words) for form in self.rng.sample(blocks(GAP_QUERIES)[0], 3 + i % 3))
        self.log += [(query, []) for query in queries]
        return Planted("gap", (), queries)

    def connect(self) -> None:
        for note in self.notes.values():
            near = [other for other in self.fill if other.frame["domain"] == note.frame["domain"] and other is not note]
            note.links += self.rng.sample([other.path for other in near], "quiet" not in note.flags)
            self.rng.choice(near).links += [note.path] * ("lonely" not in note.flags)
            kin = [other.path for other in near if other.frame["svc"] == note.frame["svc"]]
            for query in self.rng.sample(blocks(ASKED)[0], self.rng.randint(1, 2) * ("unasked" not in note.flags)):
                found = [note.path, *self.rng.sample(kin, min(len(kin), 2))]
                self.log.append((self.say(query, note.frame).lower(), found))

    def render(self, note: Note) -> str:
        frame, asked, rng = note.frame, "unasked" not in note.flags, self.rng
        links, summary = list(dict.fromkeys(note.links)), self.say(rng.choice(BANK["summary"]), frame)
        head = {"title": json.dumps(note.title), "summary": json.dumps(frame.get("summary", summary))}
        head |= {"tags": f"[{', '.join(note.path.split('/')[:2])}]", "related": f"[{', '.join(links[:1])}]"}
        words = frame.get("keywords", f"{frame['svc']}, {frame['noun']}, {frame['aspect']}, {frame['inc']}")
        head |= {"keywords": f"[{words}]", "importance": str(note.importance)}
        head |= {"recency": f"0.{rng.randint(80, 99)}", "maturity": note.maturity}
        head |= {"accessCount": str(rng.randint(2, 40) * asked), "updateCount": str(rng.randint(0, 9))}
        head |= {"createdAt": f"'{iso(note.age + rng.randint(90, 400))}'", "updatedAt": f"'{iso(note.age)}'"}
        top = "\n".join(["---", *[f"{key}: {value}" for key, value in head.items()], "---", f"# {note.title}"])
        relations = ["## Relations\n" + "\n".join("@" + link for link in links)] * bool(links)
        text = "\n\n".join([top, *note.body, *relations]) + "\n"
        while "\ufffd" in text.encode()[:4096].decode("utf-8", "replace"):
            text = text.replace("\n# ", "\n\n# ", 1)  # moves any character that would cross byte 4,096
        return text

    def save(self, path: str, data: bytes, days: float) -> None:
        file, seconds = self.tree / path, round(NOW.timestamp() - days * 86400)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        os.utime(file, (seconds, seconds))

    def index(self, folder: str, order: int, edit: int = -1) -> None:
        here, letters = self.tree / folder, "_-,.@/0123456789abcdefghijklmnopqrstuvwxyz"
        files = sorted([*here.glob("*.md"), *here.glob("*/_index.md")], key=lambda at: [*map(letters.find, str(at))])
        texts = {file.relative_to(here).as_posix(): file.read_bytes().decode("utf-8", "replace") for file in files}
        hashes = [f"{folder}/{name}:{hashlib.sha256(text.encode()).hexdigest()}" for name, text in texts.items()]
        lines = [f"- {name[:-3]}: {(re.findall('(?m)^# (.+)', text) or [''])[0]}" for name, text in texts.items()]
        total, body = sum(int(len(text) / 4 + 0.5) for text in texts.values()), "\n".join([f"# {folder}", "", *lines])
        size, digest = int(len(body) / 4 + 0.5), hashlib.sha256("\n".join(hashes).encode()).hexdigest()
        head = f"children_hash: {digest}\ncompression_ratio: {size / total}\ncondensation_order: {order}\n"
        head += f"covers: [{', '.join(sorted(texts)[edit % 3 // 2 * (edit >= 0) :])}]\ncovers_token_total: {total}\n"
        if edit >= 0:
            body = "\n".join([f"# {folder}", "", "By hand: ask me first, half of this has moved.", *lines[1:]])
        text = f"---\n{head}summary_level: d{order}\ntoken_count: {size}\ntype: summary\n---\n{body}"
        self.save(f"{folder}/_index.md", text.encode(), 0.5 if edit >= 0 else 1)

    def write_log(self) -> None:
        self.rng.shuffle(self.log)
        for i, (query, found) in enumerate(self.log):
            start = int(NOW.timestamp() * 1000 - 8.64e7 * (1 + 119 * i / len(self.log)))
            docs = [{"path": at, "score": 0.97 - k / 16, "title": self.notes[at].title} for k, at in enumerate(found)]
            entry: dict[str, Any] = {"id": f"qry-{start}", "query": query, "taskId": f"task-{i}", "startedAt": start}
            entry |= {"completedAt": start + 140, "status": "completed", "tier": 2, "timing": {"durationMs": 140}}
            counts = {"resultCount": len(docs), "topScore": 0.97 * bool(docs), "totalFound": len(docs)}
            response = "" if docs else f'**Summary**: No matching knowledge found for "{query}".'
            entry |= {"matchedDocs": docs, "searchMetadata": counts, "response": response}
            self.save(f"../query-log/qry-{start}.json", json.dumps(entry, indent=2).encode(), 0)


KINDS = """near_duplicate / superseded / template_only / transcript_leftover / tool_output / links_only / title_only /
 too_broad / quote_cut_off / not_found_by_title / shadowed / never_found / broken_frontmatter / broken_link /
 bad_encoding / unread_file / orphan / archive_candidate / generated_edited / gap"""


def plant(
    folder: Path, seed: int, per_kind: int = 10, notes: int = 500, kinds: Sequence[str] | None = None
) -> list[Planted]:
    """Write a project and its query log, with defects of each kind; the same seed gives the same bytes."""
    maker, chosen = Maker(folder, seed), blocks(KINDS)[0] if kinds is None else kinds
    sizes = {"near_duplicate": 2, "superseded": 2, "shadowed": 2, "gap": 0, "generated_edited": 0}
    sound = max(40, notes - per_kind * sum(sizes.get(kind, 1) for kind in chosen))
    maker.fill = [maker.note(maker.frame()) for _ in range(sound)]
    planted, edits = [], per_kind * ("generated_edited" in chosen)
    for kind in chosen:
        make = getattr(maker, kind, partial(maker.single, kind))
        planted += [make(i) for i in range(per_kind * (kind != "generated_edited"))]
    maker.connect()
    for note in maker.notes.values():
        maker.save(note.path, note.spoil(maker.render(note)), note.age)
    topics = sorted({note.path.rpartition("/")[0] for note in maker.notes.values() if "/." not in note.path})
    edited = maker.rng.sample(topics, min(len(topics), edits))
    for name in [*topics, *maker.domains]:
        maker.index(name, 2 - name.count("/"), edited.index(name) if name in edited else -1)
    maker.write_log()
    maker.save("../config.json", json.dumps({"version": "0.0.1", "createdAt": iso(700)}).encode(), 700)
    maker.save("../brv-tui.toml", b"[signals]\nfrontmatter = true\n", 700)
    return planted + [Planted("generated_edited", (f"{topic}/_index.md",)) for topic in edited]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found = [asdict(defect) for defect in plant(options.folder, options.seed)]
    (options.folder / "defects.json").write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
