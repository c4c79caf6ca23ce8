"""Tuned trees against tuned greedy trees, table by table."""

from shared import compare, drawing, gains_of

PANELS = {"accuracy": "Accuracy", "r2": "R²"}

counts = [len(gains_of(score, "murtree-cv")[0]) for score in PANELS]
figure, axes = drawing.new_figure(9, 1.3 + 0.2 * max(counts), columns=2)
for ax, (score, title) in zip(axes, PANELS.items(), strict=True):
    gains, pairs = gains_of(score, "murtree-cv")
    names = [line["table"] for line, _ in pairs]
    rows = sorted(zip(gains, names, strict=True))
    for place, (gain, _) in enumerate(rows):
        colour = drawing.BLUE if gain > 0 else drawing.ORANGE
        if abs(gain) <= compare.TIE:
            colour = drawing.GREY
        ax.plot([0, gain], [place, place], color=colour, lw=1.5, alpha=0.5)
        ax.plot(gain, place, "o", color=colour, ms=5.5)
    won, tied, lost = compare.counts_of(gains)
    ax.set_title(f"{title}: won {won}, tied {tied}, lost {lost}")
    ax.axvline(0, color=drawing.GREY, lw=1)
    ax.set_yticks(range(len(rows)), [name for _, name in rows], fontsize=8.5)
    ax.set(xlabel="points, tuned murtree minus tuned CART")
    ax.margins(y=0.03)
    ax.grid(axis="x", color=drawing.PALE, lw=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(left=False)
