"""Makes Python's sleep work under libfaketime, whose ``clock_nanosleep`` refuses Python's absolute times."""

import select
import time


def _sleep(seconds: float) -> None:
    select.select([], [], [], seconds)


time.sleep = _sleep
