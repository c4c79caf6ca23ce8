"""Every search reports its end to a callback that asks for it."""

import pytest
from oracle.data import hard_data
from sklearn.datasets import load_iris

from murtree import (
    Frontier,
    MetricSolver,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    ParetoFront,
    Result,
    Solver,
)

X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
y = [0, 1, 1, 0, 0]


class Ends(list):
    """A callback that records the ends of searches."""

    def __call__(self, progress):
        return False

    def search_ended(self, result):
        self.append(result)

    def __sklearn_clone__(self):
        return self


def test_every_search_reports_its_end():
    ends = Ends()
    solver, metrics = Solver(X, y), MetricSolver(X, y)
    found = [
        solver.solve(max_depth=2, callback=ends),
        solver.frontier(max_depth=2, callback=ends),
        metrics.solve("f1", max_depth=2, callback=ends),
        metrics.pareto_front(max_depth=2, callback=ends),
    ]
    assert [id(each) for each in ends] == [id(each) for each in found]
    assert [type(end) for end in ends] == [Result, Frontier, Result, ParetoFront]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"frontier": True},
        {"max_distinct_features": 1},
        {"partial_tree": {"feature": 2, "threshold": 2.45}},
    ],
)
def test_every_fit_reports_its_end(settings):
    ends = Ends()
    clf = OptimalTreeClassifier(max_depth=2, callback=ends, **settings)
    clf.fit(*load_iris(return_X_y=True))
    assert [end.objective for end in ends] == [clf.objective_]
    assert ends[0].tree.columns is not None


@pytest.mark.parametrize("raises", [RuntimeError, KeyboardInterrupt])
def test_exception_ends_the_bar(raises):
    class Fails(Ends):
        def __call__(self, progress):
            raise raises("enough")

    ends, hard = Fails(), hard_data()
    with pytest.raises(raises, match="enough"):
        Solver(*hard).solve(max_depth=6, callback=ends)
    assert ends == [None]
    clf = OptimalTreeClassifier(max_depth=6, callback=ends)
    with pytest.raises(raises, match="enough"):
        clf.fit(*hard)
    assert ends == [None, None]
    search = OptimalTreeClassifierCV(estimator=clf.set_params(max_depth=4), cv=2)
    with pytest.raises(raises, match="enough"):
        search.set_params(max_depth=6).fit(*hard)
    assert ends == [None, None, None]
