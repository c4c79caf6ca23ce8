"""pystreed's other regression task, with a price of zero: the same problem.

It merges equal rows and has a k-means and a similarity bound, which its plain
regression lacks. Either may be faster.
"""

from peers.streed import DTYPE, NAME, answer
from pystreed import STreeDRegressor

__all__ = ["DTYPE", "NAME", "answer", "regression"]


def regression(X, y, depth, time_limit, **_limits):
    model = STreeDRegressor(
        "cost-complex-regression",
        max_depth=depth,
        cost_complexity=0.0,
        time_limit=time_limit,
    )
    return model.fit(X, y)
