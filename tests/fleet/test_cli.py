"""``brv-tui fleet``: answers, messages about missing members, and exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from brvtui.cli.fleet.options import with_remedy
from brvtui.fleet.fleet_file import AbsenceKind
from brvtui.wording import MOST_PROBLEMS
from tests.support.trees import Tree

NOW = "2026-11-20T12:00:00Z"
EACH = "; to use its own engine, run fleet query --merge each, or fleet eval without --judgments\n"
GONE = "restore the folder, or correct or remove the entry in the fleet or the --over that names it"


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Two members that cover keys, and one with a missing folder."""
    for name in ("one", "two"):
        tree = Tree(tmp_path / name)
        tree.note(f"auth/{name}/keys.md", "Signing keys", f"keys of {name} rotate", days=40)
        tree.note(f"auth/{name}/other.md", "Else", "nothing of it", days=40)
    (tmp_path / "fleet.toml").write_text(
        '[[member]]\npath = "one"\n[[member]]\npath = "two"\n[[member]]\npath = "gone"\n'
    )
    return tmp_path


def run(here: Path, *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "brvtui", "fleet", *arguments]
    done = subprocess.run(command, cwd=here, capture_output=True, encoding="utf-8", timeout=100)
    return done.returncode, done.stdout, done.stderr


def test_query_command_answers_per_member_and_in_one_ranking(fleet: Path) -> None:
    line = f"note: {fleet}/gone: no such folder: {GONE}\n"
    code, out, err = run(fleet, "query", "signing keys", "--now", NOW, "--workers", "2", "--format", "json")
    each = json.loads(out)
    assert (code, err) == (0, line)
    assert each["comparable"] is False
    assert {name: one["hits"][0]["path"] for name, one in each["members"].items()} == {
        "one": "auth/one/keys.md", "two": "auth/two/keys.md",
    }  # fmt: skip
    assert [one["member"] for one in each["missing"]] == ["gone"]
    out = run(fleet, "query", "signing keys unheardof", "--now", NOW)[1]
    counts = "2 members have notes for “signing keys unheardof”, 0 do not, 1 could not be queried"
    assert f"{counts}. Each used its own engine.\n" in out
    one_word = fleet / "one/.brv/context-tree/auth/one/signing.md"
    one_word.write_text("# Signing\n\nSigning of drivers.\n")
    out = run(fleet, "query", "signing keys", "--now", NOW)[1]
    assert "auth/one/signing.md  Signing, added by the search for “signing”\n" in out
    one_word.unlink()
    code, out, err = run(fleet, "query", "signing keys", "--now", NOW, "--merge", "one", "--workers", "1")
    assert (code, err) == (0, line)
    assert "  1. 0.70  one  auth/one/keys.md  Signing keys\n" in out
    assert "“keys” is in 2 texts, 2 titles and 2 paths of 4 notes\n" in out


@pytest.mark.long
def test_single_ranking_names_a_remedy_for_refusals(fleet: Path) -> None:
    entry = '[[member]]\npath = "{}"\n'.format
    (fleet / "fleet.toml").write_text(f'{entry("one")}{entry("two")}engine = "soleri"\n')
    asked = ("--merge", "one", "--workers", "1", "--now", NOW)
    said = "its engine is soleri: only byterover can be ranked together" + EACH
    code, out, err = run(fleet, "query", "signing keys", *asked, "--format", "json")
    assert (code, err) == (0, f"note: two: {said}")
    [missing] = json.loads(out)["missing"]
    assert (missing["member"], missing["kind"]) == ("two", "not_ranked")
    refused = f"brv-tui: no member can be ranked with others: {said}"
    assert run(fleet, "query", "signing keys", *asked, "--member", "two") == (2, "", refused)
    for name in ("one", "two"):
        (fleet / name / ".brv/context-tree/auth/same.md").write_text("# Same\n\nSigning keys.\n")
    code, _, err = run(fleet, "query", "auth/same.md", *asked, "--over", "one", "--over", "two")
    refused = "brv-tui: 'auth/same.md' names auth/same.md in one and in two, but one ranking needs a single place"
    assert (code, err) == (2, refused + EACH)


@pytest.mark.parametrize("kind", AbsenceKind)
def test_advice_depends_on_why_a_member_is_absent(kind: AbsenceKind) -> None:
    remedies = {AbsenceKind.NO_FOLDER: f": {GONE}", AbsenceKind.NOT_RANKED: EACH.rstrip()}
    line = "a line that ends as another: no such folder"
    assert with_remedy(line, kind) == line + remedies.get(kind, "")


def test_answers_are_written_as_members_reply(fleet: Path) -> None:
    """Each answer is one line on standard output; a terminal also shows a temporary counter."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "brvtui", "fleet", "query", "signing keys", "--now", NOW, "--workers", "1"]
    with subprocess.Popen([*command, "--format", "jsonl"], cwd=fleet, stdout=subprocess.PIPE, stderr=theirs) as running:
        os.close(theirs)
        out = running.communicate(timeout=100)[0]
    lines = [json.loads(line) for line in out.splitlines()]
    terminal = os.read(ours, 10_000).decode()
    os.close(ours)
    assert running.returncode == 0
    [gone] = [one for one in lines if "why" in one]
    assert (gone["member"], gone["why"], gone["kind"]) == ("gone", f"{fleet}/gone: no such folder", "no_folder")
    assert {one["member"]: one["answer"]["hits"][0]["path"] for one in lines if "answer" in one} == {
        "one": "auth/one/keys.md", "two": "auth/two/keys.md",
    }  # fmt: skip
    counted = "".join(f"\r\x1b[Kmembers: {number} of 3" for number in (1, 2, 3))
    assert terminal == f"{counted}\r\x1b[Knote: {fleet}/gone: no such folder: {GONE}\r\n"
    refused = "brv-tui: --scope, --trace and --format jsonl need --merge each\n"
    assert run(fleet, "query", "x", "--merge", "one", "--format", "jsonl") == (2, "", refused)


@pytest.mark.long
def test_each_members_results_are_limited(fleet: Path) -> None:
    for number in range(4):
        (fleet / f"one/.brv/context-tree/auth/one/keys{number}.md").write_text(f"# Keys {number}\n\nSigning keys.\n")
    asked = ("query", "signing keys", "--now", NOW, "--over", "one", "--over", "two", "--workers", "1")
    assert "  3. " in (out := run(fleet, *asked)[1])
    assert "  4. " not in out
    out = run(fleet, *asked, "--limit", "1")[1]
    assert ("  1. " in out, "  2. " in out) == (True, False)
    assert " more\n" in out
    answer = json.loads(run(fleet, *asked, "--limit", "1", "--format", "json")[1])
    assert {name: len(one["hits"]) for name, one in answer["members"].items()} == {"one": 1, "two": 1}
    lines = run(fleet, *asked, "--limit", "1", "--format", "jsonl")[1].splitlines()
    assert [len(json.loads(line)["answer"]["hits"]) for line in lines] == [1, 1]
    assert run(fleet, *asked, "--trace") == (2, "", "brv-tui: --trace needs --format json or jsonl\n")


def test_scores_of_a_single_member_show_no_warning(fleet: Path) -> None:
    message = "Scores are not comparable between members"
    assert message in run(fleet, "query", "signing keys", "--over", "one", "--over", "two", "--workers", "1")[1]
    assert message not in run(fleet, "query", "signing keys", "--over", "one", "--workers", "1")[1]


def test_missing_fleet_file_is_named_in_the_advice(fleet: Path) -> None:
    code, _, err = run(fleet, "list", "--fleet", "my fleet.toml")
    assert code == 3
    assert "brv-tui: my fleet.toml: no such file; add a first member with brv-tui fleet add" in err
    assert "brv-tui fleet add --fleet 'my fleet.toml', or" in err
    assert "brv-tui fleet add, or give places with --over" in run(fleet / "one", "list")[2]


def test_fleet_errors_fit_on_one_line(fleet: Path) -> None:
    assert run(fleet, "query", "x", "--member", "on") == (
        3, "", "brv-tui: no member on; did you mean one?\n",
    )  # fmt: skip
    code, out, err = run(fleet.parent, "list", "--over", "nowhere*")
    assert (code, out) == (3, "")
    assert (
        err.splitlines()[-1] == "brv-tui: the fleet has no members that can be queried; add one with brv-tui fleet add"
    )
    code, out, _ = run(fleet, "check", "--workers", "1")
    assert code == 1
    assert out.splitlines()[-1] == "2 members, 4 notes"


def test_fleet_command_help_is_not_cut(fleet: Path) -> None:
    code, out, _ = run(fleet, "--help")
    assert code == 0
    assert "ByteRover V4 data folders." in " ".join(out.split())
    assert "..." not in out.partition("Commands:")[2]


@pytest.mark.parametrize(
    "member",
    ['path = "gone{}"', 'repository = "gone{}"', 'path = "one"'],
    ids=["no folder", "no repository", "listed twice"],
)
def test_many_invalid_members_are_counted(fleet: Path, member: str) -> None:
    wrong = "".join(f"[[member]]\n{member.format(number)}\n" for number in range(MOST_PROBLEMS + 10))
    (fleet / "fleet.toml").write_text(f'[[member]]\npath = "one"\n{wrong}')
    _, _, err = run(fleet, "list")
    lines = err.splitlines()
    assert (len(lines), lines[-1]) == (MOST_PROBLEMS + 1, "note: 10 more notes")


def test_query_without_any_answering_member_fails(fleet: Path) -> None:
    code, out, err = run(fleet, "query", "signing keys", "--over", "gone")
    assert (code, out, err) == (4, "", f"note: {fleet}/gone: no such folder: {GONE}\n")
    (fleet / "wrong.toml").write_text('[[member]]\npaths = "one"\n')
    code, out, err = run(fleet, "query", "signing keys", "--fleet", "wrong.toml")
    assert (code, out) == (4, "")
    assert err.endswith("brv-tui: no member of the fleet can be queried; correct or remove its entries\n")
    code, _, err = run(fleet, "maturity", "--event", "bogus", "--over", "one")
    assert code == 4
    assert "has no event bogus" in err


@pytest.mark.long
def test_each_member_explains_missing_coverage(fleet: Path) -> None:
    code, out, _ = run(fleet, "query", "kubernetes", "--over", "one", "--over", "two")
    assert code == 1
    assert out.count("Not covered: no note contains ‘kubernetes’") == 2
    assert "\nRephrase the query, or add a note about it to a member.\n" in out
    out = run(fleet, "query", "kubernetes", "--over", "one", "--merge", "one")[1]
    assert "no results: no match; rephrase the query, or add a note about it to a member\n" in out


def test_remedies_equal_those_of_the_members_project(fleet: Path) -> None:
    asked = ("explain", "signing keys", "auth/two/other.md", "--format", "json", "--now", NOW)
    command = [sys.executable, "-m", "brvtui", *asked, "--project", "two"]
    alone = json.loads(subprocess.run(command, cwd=fleet, capture_output=True, timeout=100).stdout)
    together = json.loads(run(fleet, *asked, "--over", "two")[1])
    assert alone["remedies"]
    assert [_tried(one) for one in together["remedies"]] == [_tried(one) for one in alone["remedies"]]


def _tried(remedy: dict[str, Any]) -> dict[str, Any]:
    """The remedy without its side effects, which a fleet does not compute."""
    return {name: value for name, value in remedy.items() if name not in ("compared", "side_effects")}


@pytest.mark.long
def test_note_missing_from_every_member_is_reported(fleet: Path) -> None:
    answer = run(fleet, "explain", "signing keys", "nope.md", "--over", "one", "--over", "two")
    assert answer == (3, "", "brv-tui: no member has nope.md\n")
    near = "brv-tui: no member has auth/keyss.md; near: one: auth/one/keys.md; two: auth/two/keys.md\n"
    assert run(fleet, "explain", "signing keys", "auth/keyss.md", "--over", "one", "--over", "two") == (3, "", near)
    outside = run(fleet, "explain", "signing keys", "../nope.md", "--over", "one", "--over", "two")
    assert outside == (3, "", "brv-tui: no member has ../nope.md\n"), "all of them could be read"
    code, _, err = run(fleet, "explain", "signing keys", "nope.md", "--over", "one", "--over", "gone")
    message = f"note: {fleet}/gone: no such folder: {GONE}\nbrv-tui: no readable member has nope.md\n"
    assert (code, err) == (3, message)
    assert run(fleet, "explain", "signing keys", "x", "--over", "gone")[2].endswith(f"no such folder: {GONE}\n")


@pytest.mark.long
def test_ambiguous_note_name_is_reported_per_member(fleet: Path) -> None:
    def explained() -> tuple[int, str, str]:
        answer = run(fleet, "explain", "signing keys", "open", "--over", "one", "--over", "two", "--now", NOW)
        return *answer[:2], answer[2].replace("b/open.md, a/open.md", "a/open.md, b/open.md")

    def added(path: str) -> Path:
        made = fleet / path.partition("/")[0] / ".brv/context-tree" / path.partition("/")[2]
        made.parent.mkdir(exist_ok=True)
        made.write_text("# Open\n\nSigning keys are kept open.\n")
        return made

    said = {name: f"{name}: open could be a/open.md, b/open.md: give the whole path" for name in ("one", "two")}
    added("one/a/open.md")
    added("one/b/open.md")
    assert explained() == (3, "", f"brv-tui: {said['one']}\n")
    added("two/a/open.md")
    other = added("two/b/open.md")
    assert explained() == (3, "", f"brv-tui: {said['one']}; {said['two']}\n")
    other.unlink()
    code, out, err = explained()
    assert (code, err) == (0, f"note: {said['one']}\n")
    assert out.startswith("two\n")


def test_add_reports_a_space_stored_elsewhere(fleet: Path) -> None:
    (fleet / "two/.brvspace").write_text("{}")
    code, out, err = run(fleet, "add", "two", "--fleet", "other.toml")
    assert (code, out) == (0, "added two to other.toml\n")
    assert "its .brvspace points to a space elsewhere; remove this member and add the data folder" in err
    assert "points to a space elsewhere" in run(fleet, "list")[2]


def test_unknown_user_path_is_reported_in_one_line(fleet: Path) -> None:
    place = "~nosuchuser/x"
    (fleet / "other.toml").write_text(f'[[member]]\npath = "{place}"\n')
    assert run(fleet, "add", "two", "--fleet", "other.toml") == (0, "added two to other.toml\n", "")
    code, out, err = run(fleet, "list", "--fleet", "other.toml")
    assert (code, err) == (0, f"note: {place}: its ~ does not name a user of this machine; correct it\n")
    assert "two" in out
    code, out, err = run(fleet, "add", "~nosuchuser/y", "--fleet", "other.toml")
    assert (code, out) == (0, "added ~nosuchuser/y to other.toml\n")
    assert "~nosuchuser/y: its ~ does not name a user of this machine" in err
    code, out, err = run(fleet, "add", place, "--fleet", "other.toml")
    assert err == f"brv-tui: other.toml: {place} is listed already\n"


def test_list_and_add_report_a_missing_folder(fleet: Path) -> None:
    code, out, err = run(fleet, "list")
    assert (code, err) == (0, f"note: {fleet}/gone: no such folder: {GONE}\n")
    assert "gone" in out
    value = json.loads(run(fleet, "list", "--format", "json")[1])
    assert {(one["member"], one["kind"]) for one in value["missing"]} == {("gone", "no_folder")}
    code, out, err = run(fleet, "add", "nope", "--fleet", "other.toml")
    assert (code, out, err) == (0, "added nope to other.toml\n", f"note: {fleet}/nope: no such folder: {GONE}\n")
    code, out, err = run(fleet, "eval")
    assert (code, out.splitlines()[-1]) == (
        1,
        "0 members have judgments; add some in each project with brv-tui judge set",
    )


def test_only_a_named_fleet_file_may_be_a_link_out_of_its_folder(fleet: Path) -> None:
    here = fleet / "one"
    (here / "fleet.toml").symlink_to(fleet / "fleet.toml")
    Tree(fleet / "three").note("d/t/n.md", "A note")
    for arguments in (("list",), ("add", str(fleet / "three"))):
        code, _, err = run(here, *arguments)
        assert code != 0
        assert "a symlink points outside the project" in err
    code, _, err = run(here, "add", str(fleet / "three"), "--fleet", "fleet.toml")
    assert (code, err) == (0, "")
    for name in ("fleet.toml", "./fleet.toml", str(here / "fleet.toml")):
        code, out, _ = run(here, "list", "--fleet", name)
        assert "three" in out
        assert "two" in out


def test_repositories_in_other_folders_are_read_only_if_a_file_names_them(tmp_path: Path) -> None:
    private, here = tmp_path / "priv", tmp_path / "clone"
    here.mkdir()
    private.mkdir()
    (private / "pay.md").write_text("# Salary\n\nsalary\n")
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for words in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-q", "-m", "notes")):
        subprocess.run(("git", "-C", str(private), *words), check=True, capture_output=True)
    allow = "if you trust this file, name it with --fleet fleet.toml"
    left_out = f"note: {private}: . is not a .brv/context-tree; {allow}\n"
    code, out, err = run(here, "add", "../priv", "--folder", ".")
    assert (code, out, err) == (0, "added ../priv to fleet.toml\n", left_out)
    code, out, err = run(here, "query", "salary")
    assert (code, "pay.md" in out, err.startswith(left_out)) == (4, False, True)
    code, out, err = run(here, "query", "salary", "--fleet", "fleet.toml")
    assert (code, "pay.md" in out) == (0, True)
