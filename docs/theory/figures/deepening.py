"""Deepening: the best tree of each pass, and what the passes cost."""

from drawing import BLUE, ORANGE, X, new_figure, y

from murtree import Solver

DEPTHS = range(2, 7)
solver = Solver(X, y)  # one solver: each question finds the work of those before
results = [solver.solve(max_depth=depth) for depth in DEPTHS]
work = [result.stats["depth_two_calls"] for result in results]

figure, (errors, calls) = new_figure(8, 3.3, columns=2)
errors.plot(DEPTHS, [result.objective for result in results], "o-", color=ORANGE)
for depth, result in zip(DEPTHS, results, strict=True):
    at = (depth, result.objective)
    errors.annotate(f"{at[1]}", at, (5, 5), textcoords="offset points")
errors.set(title="Errors of the best tree", ylim=(0, None), xlim=(1.7, 6.6))
bars = calls.bar(DEPTHS, work, color=BLUE, width=0.65)
calls.bar_label(bars, [f"{count:,}" for count in work], fontsize=9, padding=2)
calls.set(title="Sets of rows solved at depth two", yscale="log", ylim=(0.7, 4e6))
for ax in (errors, calls):
    ax.set(xlabel="depth", xticks=DEPTHS)
