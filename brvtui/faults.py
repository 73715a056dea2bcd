"""Describes errors: the messages for I/O errors, and the exit codes of errors whose messages are meant for the user."""

from __future__ import annotations

import errno
import os

OK, NEGATIVE, BAD_USAGE, NOT_THERE, FAILED = 0, 1, 2, 3, 4
_CODES = {
    "brvtui.config.schema.ConfigError": BAD_USAGE,
    "brvtui.engines.contract.EngineError": BAD_USAGE,
    "brvtui.engines.contract.StorageError": FAILED,
    "brvtui.engines.verification.installed.NotInstalled": FAILED,
    "brvtui.engines.verification.sealed_node.EngineRunError": FAILED,
    "brvtui.fleet.cluster.ClusterError": FAILED,
    "brvtui.fleet.cluster.UntrustedScheduler": BAD_USAGE,
    "brvtui.fleet.fleet_file.FleetError": BAD_USAGE,
    "brvtui.lab.evaluation.results.UnknownMetric": BAD_USAGE,
    "brvtui.lab.judgments.model.JudgmentsError": BAD_USAGE,
    "brvtui.lab.judgments.model.JudgmentsWriteError": FAILED,
    "brvtui.lab.whatif.sweep.SweepError": BAD_USAGE,
    "brvtui.lab.whatif.variant.VariantError": BAD_USAGE,
    "brvtui.replay.ReplayError": BAD_USAGE,
    "brvtui.report.saved.ExportError": FAILED,
    "brvtui.saved.traces.SavedError": BAD_USAGE,
    "brvtui.snapshot.naming.UnknownNote": NOT_THERE,
    "brvtui.tree.history.git.RevisionError": BAD_USAGE,
    "brvtui.tree.reading.project.ProjectError": NOT_THERE,
    "brvtui.tree.reading.signals.SignalsError": BAD_USAGE,
    "brvtui.typed_tables.ProfileError": BAD_USAGE,
}
"""The exit codes of errors whose messages are meant for the user. Keys are class names, so no module is loaded."""
_ADVICE = {
    errno.ENOSPC: "the disk is full; free some space and try again",
    errno.EDQUOT: "your disk quota is used up; free some space and try again",
    errno.EFBIG: "the system does not allow a file of this size; raise the limit (ulimit -f) and try again",
    errno.EROFS: "the file system is read-only; mount it writable and try again",
    errno.EACCES: "you lack permission to read or write it or its folder; change the permissions and try again",
    errno.EPERM: "the system does not permit it; check the owner and flags of the file and its folder",
    errno.ENOENT: "there is no such file or folder; check the tree",
    errno.ENAMETOOLONG: "the name is too long for the file system; choose a shorter one",
    errno.ELOOP: "it was replaced by a symlink; fix that and try again",
    errno.EMFILE: "this process has too many files open; raise the limit (ulimit -n) and start again",
    errno.ENFILE: "the system has too many files open; end other programs and try again",
    errno.EAGAIN: "another process has held its lock for too long; wait for it or end it, and try again",
    errno.EIO: "the disk is failing; check it and your backups",
    errno.ESTALE: "the network disk was replaced; mount it again and try again",
}

NO_FILE = "there is no such file"
_UNREADABLE = {
    errno.ENOENT: NO_FILE,
    errno.ENOTDIR: NO_FILE,
    errno.EACCES: "you lack permission to read it",
    errno.ELOOP: "its symlinks form a loop",
    errno.ENAMETOOLONG: "its name is too long for the file system",
}


def reason(error: BaseException) -> str:
    """Returns the system's message for an OSError; for any other error, its message, or its type if it has none."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def reading_reason(error: OSError | ValueError) -> str:
    """Returns the reason why a file could not be read, for a message that already names the file."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    message = _UNREADABLE.get(error.errno or 0) if isinstance(error, OSError) else None
    return message or reason(error)


def advice(error: OSError) -> str:
    """Returns the problem and its remedy, for the user."""
    return _ADVICE.get(error.errno or 0) or f"{reason(error)}; fix that and try again"


def error_line(error: OSError, where: str | os.PathLike[str] = "") -> str:
    """Returns a line for the user: the file (from the error, or else ``where``), the problem and the remedy."""
    name = error.filename if isinstance(error.filename, str | bytes) else ""
    return f"{os.fsdecode(name) or os.fspath(where) or 'input or output'}: {advice(error)}"


def exit_code_of(error: BaseException) -> int | None:
    """Returns the exit code of an error whose message is meant for the user; None for any other error."""
    names = (f"{each.__module__}.{each.__qualname__}" for each in type(error).__mro__)
    return next((_CODES[name] for name in names if name in _CODES), None)
