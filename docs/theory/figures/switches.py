"""What each technique saves: depth-two problems with one of them switched off."""

from drawing import BLUE, GREY, ORANGE, X, new_figure, y

from murtree import Solver

DEPTH = 5
OFF = {
    "everything on": {},
    "without deepening": {"deepening": False},
    "without the refined bound": {"refined_bound": False},
    "features in their order": {"feature_order": "in-order"},
    "without similarity": {"similarity_bound": False},
    "without a cache": {"cache": "none"},
    "without any of these": {
        "deepening": False,
        "refined_bound": False,
        "feature_order": "in-order",
        "similarity_bound": False,
        "cache": "none",
        "first_tree": False,
        "sibling_bound": False,
    },
}
results = [Solver(X, y, **off).solve(max_depth=DEPTH) for off in OFF.values()]
assert len({result.objective for result in results}) == 1

calls = [result.stats["depth_two_calls"] for result in results]
colours = [BLUE] + [ORANGE] * (len(OFF) - 2) + [GREY]
figure, ax = new_figure(8, 3.4)
bars = ax.barh(list(OFF), calls, color=colours, height=0.65)
ax.bar_label(bars, [f"{count:,}" for count in calls], padding=4)
ax.invert_yaxis()
ax.set(xlabel="sets of rows solved at depth two", xlim=(0, 1.15 * max(calls)))
ax.spines["left"].set_visible(False)
ax.tick_params(left=False)
ax.xaxis.set_major_formatter("{x:,.0f}")
ax.locator_params(axis="x", nbins=5)
