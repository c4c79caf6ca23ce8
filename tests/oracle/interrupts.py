"""Ctrl-C during a call of the library, and the time it may take to react."""

import os
import signal
import threading
import time

import pytest


class Interrupt:
    """Sends Ctrl-C to this process after some time."""

    def __init__(self, seconds=0.3):
        self.timer = threading.Timer(seconds, self.send)

    def send(self):
        self.sent = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    def __enter__(self):
        # A process started in the background ignores the signal by default.
        self.before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.timer.start()
        return self

    def __exit__(self, *raised):
        self.back = time.perf_counter()
        self.timer.join()
        signal.signal(signal.SIGINT, self.before)


on_signals = pytest.mark.skipif(os.name == "nt", reason="signals differ on Windows")
SOON = 0.5  # 0.1 on a quiet machine
