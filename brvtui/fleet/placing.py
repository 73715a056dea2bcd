"""Which worker a member is asked on: by weight, and the same one as long as it lives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b

from brvtui.fleet.members import Member

SLACK = 1.1
"""How much more than its share a worker may be given, so that members can stay where they were."""


def placed(members: Sequence[Member], workers: Sequence[str]) -> Mapping[str, str]:
    """The worker of each member, by the member's name.

    Rendezvous hashing with bounded loads: each member goes to the worker for which the hash of both is highest and
    whose weight stays within :data:`SLACK` of its share. It depends on nothing else, so that another process places
    alike, and a worker that comes or goes moves few members but its own.
    """
    if not workers:
        return {}
    most = SLACK * sum(member.weight for member in members) / len(workers)
    loads = dict.fromkeys(workers, 0.0)
    made: dict[str, str] = {}
    for member in sorted(members, key=lambda one: (-one.weight, one.name)):
        preferred = sorted(workers, key=lambda worker: _hash(member.name, worker), reverse=True)
        fitting = (worker for worker in preferred if loads[worker] + member.weight <= most)
        chosen = next(fitting, min(preferred, key=loads.__getitem__))
        loads[chosen] += member.weight
        made[member.name] = chosen
    return made


def _hash(member: str, worker: str) -> bytes:
    return blake2b(f"{member}\0{worker}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
