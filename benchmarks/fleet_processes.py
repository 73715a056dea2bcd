"""A Dask scheduler and its workers as processes on this machine that can be killed, for the demo and for benchmarks."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType


class FleetProcesses:
    """A scheduler and ``workers`` workers. As a context manager, it ends all of them."""

    def __init__(self, folder: Path, workers: int) -> None:
        self._folder = folder
        self._wanted = workers
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"

    def __enter__(self) -> FleetProcesses:
        self.make_whole()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end()

    def make_whole(self) -> None:
        """Restarts workers that have ended, or everything if the scheduler has ended. :attr:`workers` contains the
        running ones.
        """
        if self.scheduler is None or self.scheduler.poll() is not None:
            self.end()
            self.scheduler = self._start("dask_scheduler", "--host", "127.0.0.1", "--port", str(self.port))
        self.workers = [one for one in self.workers if one.poll() is None]
        while len(self.workers) < self._wanted:
            self.add_worker()
        self.wait_for(self._wanted)

    def end(self) -> None:
        """Ends all processes."""
        for process in (*self.workers, self.scheduler):
            if process is not None and process.poll() is None:
                process.kill()
                process.wait()

    def add_worker(self) -> subprocess.Popen[bytes]:
        made = self._start("dask_worker", self.address, "--nthreads", "1", "--no-nanny", "--memory-limit", "0")
        self.workers.append(made)
        return made

    def kill(self, number: int) -> None:
        """Kills a worker with SIGKILL."""
        self.workers[number].kill()
        self.workers[number].wait()

    def hang(self, number: int) -> None:
        """Pauses a worker without ending it."""
        os.kill(self.workers[number].pid, signal.SIGSTOP)

    def go_on(self, number: int) -> None:
        """Resumes a paused worker."""
        os.kill(self.workers[number].pid, signal.SIGCONT)

    def wait_for(self, workers: int, patience_s: float = 60.0) -> None:
        """Waits until this many workers have joined."""
        from brvtui.fleet.cluster import Cluster
        from brvtui.fleet.fleet_file import FleetError

        until = time.monotonic() + patience_s
        while time.monotonic() < until:
            try:
                cluster = Cluster(self.address, ())
            except FleetError:
                continue
            try:
                while time.monotonic() < until:
                    if len(cluster.workers) >= workers:
                        return
                    time.sleep(0.1)
            finally:
                cluster.close()
        raise TimeoutError(f"{workers} workers did not join")

    def _start(self, command: str, *arguments: str) -> subprocess.Popen[bytes]:
        folder = self._folder / "dask"
        folder.mkdir(parents=True, exist_ok=True)
        own = ["--dashboard-address", ":0"] if command == "dask_scheduler" else ["--no-dashboard", "--local-directory"]
        own += [] if command == "dask_scheduler" else [str(folder)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "DASK_TEMPORARY_DIRECTORY": str(folder)}
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{command}", *arguments, *own],
            stdout=subprocess.DEVNULL,
            stderr=(folder / f"{command}.log").open("ab"),
            env=environment,
            cwd=Path(__file__).resolve().parent.parent,
        )
