"""A question whose answer is a digest of the whole trace: what two ways of asking are compared by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b

from brvtui.fleet.opening import OpenMember


def digest(value: object) -> str:
    """A digest of all that ``value`` holds, to the last digit of every number."""
    return blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass(frozen=True)
class TraceDigestOf:
    """Asks for the digest of the trace of ``text``, but for its timings."""

    text: str

    def of(self, opened: OpenMember) -> str:
        """The digest, made where the member is."""
        return digest(replace(opened.trace(self.text), timings={}))
