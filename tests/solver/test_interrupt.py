"""Ctrl-C and other signals during a search."""

import signal
import time

import pytest
from oracle.data import hard_data
from oracle.interrupts import SOON, Interrupt, on_signals

from murtree import Solver


class Oops(Exception):
    pass


@pytest.mark.timing
@on_signals
@pytest.mark.parametrize(
    "ask", [{}, {"cost_complexity": 1e-4}, {"min_samples_leaf": 3}, {"time_limit": 9}]
)
def test_ctrl_c_raises(ask):
    solver = Solver(*hard_data())
    interrupt = Interrupt()
    with pytest.raises(KeyboardInterrupt), interrupt:
        solver.solve(9, **ask)
    assert interrupt.back - interrupt.sent < SOON
    assert solver.solve(1).status == "optimal"


@pytest.mark.timing
@on_signals
def test_ctrl_c_stops_within_a_tenth_of_a_second():
    """In the best of three attempts, since the machine may be busy."""
    delays = []
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt), Interrupt() as interrupt:
            Solver(*hard_data()).solve(9)
        delays.append(interrupt.back - interrupt.sent)
    assert min(delays) < 0.1


@pytest.mark.timing
@on_signals
@pytest.mark.parametrize("callback", [None, lambda progress: time.sleep(0.02)])
def test_ctrl_c_returns_the_best_tree_if_requested(callback):
    X, y = hard_data()
    solver = Solver(X, y)
    with Interrupt() as interrupt:
        result = solver.solve(9, on_interrupt="return", callback=callback)
    assert interrupt.back - interrupt.sent < SOON
    assert result.status == "interrupted"
    assert result.misclassified == int((result.tree.predict(X) != y).sum())
    assert result.lower_bound <= result.objective
    with Interrupt() as interrupt:
        frontier = solver.frontier(7, on_interrupt="return", callback=callback)
    assert frontier.status == "interrupted"
    assert interrupt.back - interrupt.sent < SOON


@pytest.mark.timing
@on_signals
def test_another_signals_exception_is_never_swallowed():
    def alarm(number, frame):
        raise Oops

    before = signal.signal(signal.SIGALRM, alarm)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Oops):
            Solver(*hard_data()).solve(9, on_interrupt="return")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
