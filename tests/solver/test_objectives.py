"""Every objective with real weights against the judge, whatever is requested."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.brute_force import best_penalised, full_depth
from oracle.objectives import problems
from oracle.strategies import penalties, switches, thorough

IMPURITIES = ("gini", "log_loss")
KINDS = (
    "weights",
    "costs",
    "squared_error",
    "prices",
    "absolute_error",
    *IMPURITIES,
)
HAS_ROUNDED_TIES = ("squared_error", "prices", "absolute_error", *IMPURITIES)


@pytest.mark.parametrize(
    "kind", [*KINDS, pytest.param("balanced_accuracy", marks=pytest.mark.slow)]
)
@thorough
@given(drawn=st.data(), depth=st.integers(0, 3), options=switches())
def test_every_budget_equals_the_judge(kind, drawn, depth, options):
    problem = drawn.draw(problems(kind))
    best = problem.best(depth)
    for solver in (problem.solver(), problem.solver(**options)):
        for nodes, least in enumerate(best):
            problem.check(solver.solve(depth, nodes), least, nodes)
        frontier = solver.frontier(depth)
        for nodes, (result, least) in enumerate(zip(frontier, best, strict=True)):
            problem.check(result, least, nodes)


@pytest.mark.parametrize("kind", KINDS)
@thorough
@given(
    drawn=st.data(),
    depth=st.integers(0, 3),
    cost_complexity=penalties(),
    options=switches(),
)
def test_penalties_equal_the_judge(kind, drawn, depth, cost_complexity, options):
    problem = drawn.draw(problems(kind))
    price = Fraction(cost_complexity) * problem.total
    best = problem.best(depth)
    least = best_penalised(best, price)
    for solver in (problem.solver(), problem.solver(**options)):
        result = solver.solve(depth, cost_complexity=cost_complexity)
        problem.check(result, least, len(best), price=price)


@pytest.mark.parametrize("kind", KINDS)
@thorough
@given(drawn=st.data(), depth=st.integers(1, 3), size=st.integers(2, 4))
def test_leaf_sizes_and_fewest_nodes_equal_the_judge(kind, drawn, depth, size):
    problem = drawn.draw(problems(kind))
    best, solver = problem.best(depth, size), problem.solver()
    for nodes, least in enumerate(best):
        result = solver.solve(depth, nodes, min_samples_leaf=size)
        problem.check(result, least, nodes, size)
    fewest = solver.solve(depth, min_samples_leaf=size, fewest_nodes=True)
    problem.check(fewest, best[-1], len(best) - 1, size)
    if kind not in HAS_ROUNDED_TIES:
        assert fewest.tree.n_nodes <= best.index(best[-1])


@pytest.mark.parametrize("kind", KINDS)
@thorough
@given(drawn=st.data(), depth=st.integers(1, 3))
def test_upper_bounds_and_fewest_nodes(kind, drawn, depth):
    problem = drawn.draw(problems(kind))
    solver, total = problem.solver(), float(problem.total)
    result = solver.solve(depth)
    rounded = total * 1e-9 if kind in HAS_ROUNDED_TIES else 0
    for bound in (result.objective, 1.5 * result.objective + total + 1):
        again = solver.solve(depth, upper_bound=bound)
        assert again.status == "optimal"
        assert again.objective == pytest.approx(result.objective, rel=0, abs=rounded)
    is_real = not isinstance(result.objective, int)
    if is_real and result.objective > total * 1e-6:
        below = solver.solve(depth, upper_bound=0.9 * result.objective)
        assert (below.status, below.tree, below.objective) == ("infeasible", None, None)
        assert 0.89 * result.objective < below.lower_bound <= result.objective
    best = problem.best(depth)
    fewest = solver.solve(depth, fewest_nodes=True)
    problem.check(fewest, best[-1], len(best) - 1)
    if kind in HAS_ROUNDED_TIES:
        assert fewest.objective == pytest.approx(result.objective, abs=rounded)
        assert fewest.tree.n_nodes <= result.tree.n_nodes
    else:
        assert fewest.tree.n_nodes <= best.index(best[-1])


@thorough
@given(problems("costs"), st.floats(0.01, 0.3))
def test_any_depth_equals_the_judge(problem, cost_complexity):
    price = Fraction(cost_complexity) * problem.total
    best = problem.best(full_depth(problem.X))
    result = problem.solver().solve(None, cost_complexity=cost_complexity)
    problem.check(result, best_penalised(best, price), len(best), price=price)
