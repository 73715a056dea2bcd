"""Detects folders on network file systems, which send no events for changes by other machines."""

from __future__ import annotations

import os
import re
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
_MOUNT_POINT = 4
_ESCAPED = re.compile(r"\\([0-7]{3})")
_NETWORK_TYPES = frozenset(
    {
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "9p", "vboxsf", "prl_fs", "vmhgfs", "drvfs"),
        *("ceph", "glusterfs", "lustre", "beegfs", "gpfs", "orangefs", "fuse.sshfs", "fuse.glusterfs", "fuse.rclone"),
        *("fuse.s3fs", "fuse.vmhgfs-fuse"),
    }
)
"""Types of file systems on which other machines change files."""


def network_disk(folder: Path, mounts: Path = _MOUNTS) -> str:
    """The type of the file system of ``folder`` if it is a network file system; else empty.

    ``mounts`` is the table of mounts (proc(5), mountinfo). Returns an empty string where there is none.
    """
    try:
        table = mounts.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    here = os.path.realpath(folder)
    best, kind = "", ""
    for row in table.splitlines():
        own, _, rest = row.partition(" - ")
        fields, kinds = own.split(" "), rest.split(" ")
        if len(fields) <= _MOUNT_POINT:
            continue
        point = _ESCAPED.sub(lambda found: chr(int(found.group(1), 8)), fields[_MOUNT_POINT])
        is_above = here == point or here.startswith(f"{point.rstrip(os.sep)}{os.sep}")
        if is_above and len(point) >= len(best):
            best, kind = point, kinds[0]
    return kind if kind in _NETWORK_TYPES else ""
