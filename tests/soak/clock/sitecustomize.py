"""Lets Python sleep under libfaketime, whose ``clock_nanosleep`` refuses the absolute times that Python gives it."""

import select
import time


def _sleep(seconds: float) -> None:
    select.select([], [], [], seconds)


time.sleep = _sleep
