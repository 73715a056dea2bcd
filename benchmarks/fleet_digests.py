"""A question whose answer is a digest of the whole trace, for comparing two ways of querying."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b

from brvtui.fleet.opening import OpenMember


def digest(value: object) -> str:
    """A digest of everything in ``value``, to the last digit of each number."""
    return blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass(frozen=True)
class TraceDigestOf:
    """Requests the digest of the trace of ``text`` without its timings."""

    text: str

    def of(self, opened: OpenMember) -> str:
        """The digest, computed in the member's process."""
        return digest(replace(opened.trace(self.text), timings={}))
