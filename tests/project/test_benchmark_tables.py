"""The tables of the documentation match the results; unit tests of their parts."""

import importlib
import json
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repository import ROOT

RESULTS = ROOT / "benchmarks" / "results"
PAGES = [ROOT / "docs" / name for name in ("comparison.md", "guide/unseen.md")]
steady = settings(deadline=None, derandomize=True)
bits = st.integers(0, 1)


@pytest.fixture(scope="module", autouse=True)
def _benchmarks_can_be_imported():
    sys.path.append(str(ROOT / "benchmarks"))
    yield
    sys.path.remove(str(ROOT / "benchmarks"))


def script(name):
    return importlib.import_module(name)


def row(system, seconds, errors=3, *, optimal=True, **more):
    status = "optimal" if optimal else "time_limit"
    known = {"system": system, "set": "A", "task": "tree", "depth": 4, "penalty": None}
    known |= {"time_limit": 30, "rows": 10, "columns": 2, "objective": errors}
    known |= {
        "seconds": seconds,
        "errors": errors,
        "status": status,
        "optimal": optimal,
    }
    return known | more


def problems(*rows):
    found = {}
    for each in rows:
        key = (each["task"], each["set"], each["depth"], each["penalty"])
        found.setdefault(key, {})[each["system"]] = each
    return found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page_matches_the_results(path):
    tables = script("tables")
    page = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT)
    assert page == tables.filled(page, RESULTS), (
        f"run: python benchmarks/tables.py --write {name}"
    )


def test_the_pages_have_every_table_once():
    tables = script("tables")
    text = "".join(path.read_text("utf-8") for path in PAGES)
    named = [found[2] for found in tables.MARKED.finditer(text)]
    assert sorted(named) == sorted(tables.TABLES)


def cells_of(line):
    return [cell.strip() for cell in line.split("|")]


def test_there_is_no_table_of_thresholds_before_a_run(tmp_path):
    assert script("tables").exact_table(tmp_path) == ""


def test_marked_section_is_replaced(tmp_path):
    ours = {"errors": 5, "optimal": True, "seconds": 0.5, "search_seconds": 0.25}
    ours |= {"thresholds": 2000, "kernel": "avx2", "lower_bound": 5}
    theirs = {"errors": 5, "optimal": True, "seconds": 2.0, "search_seconds": 1.0}
    line = {"set": "A", "depth": 3, "rows": 1000, "murtree": ours}
    line |= {"contree": theirs | {"limit": 150.0}, "cpu": "X", "commit": "abc"}
    line["versions"] = {"pycontree": "1.0.8"}
    slow = line | {"set": "B", "contree": line["contree"] | {"optimal": False}}
    open_ = line | {"set": "C", "murtree": ours | {"optimal": False, "lower_bound": 2}}
    alone = line | {"murtree": ours | {"seconds": 9.0}, "contree": None}
    only_alone = alone | {"set": "D"}
    (tmp_path / "exact.jsonl").write_text(
        "\n".join(map(json.dumps, [alone, line, slow, open_, only_alone])),
        encoding="utf-8",
    )
    page = "before\n<!-- table: exact -->\nold\n<!-- end -->\nafter\n"
    filled = script("tables").filled(page, tmp_path)
    assert "\nold\n" not in filled
    cells = [cells_of(line) for line in filled.splitlines() if line.startswith("|")]
    rows = {row[1]: row for row in cells}
    assert rows["A"][2:9] == ["3", "1,000", "2,000", "5", "2.0000", "0.5000", "4.0"]
    assert rows["B"][6:9] == ["> 150", "0.5000", "300.0"]
    assert rows["C"][5:9] == ["5", "2.0000", "2 to 5 errors", ""]
    assert rows["D"][5:9] == ["5", "", "9.0000", ""]
    assert sum(row[1] == "A" for row in cells) == 1
    assert rows["3"][2:7] == ["2", "34.6", "4.0", "49.0", "4.0"]
    assert filled.startswith("before\n")
    assert filled.endswith("<!-- end -->\nafter\n")


def test_unknown_table_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tables.py", "nothing"])
    with pytest.raises(SystemExit):
        script("tables").main()
    assert "no table nothing" in capsys.readouterr().err


def test_a_ratio_needs_two_proofs_and_ten_milliseconds():
    parts = script("table_parts")
    found = problems(
        row("murtree", 0.5, set="both"),
        row("dl85", 2.0, set="both"),
        row("murtree", 0.02, set="we are slower"),
        row("dl85", 0.005, set="we are slower"),
        row("murtree", 0.5, set="no proof"),
        row("dl85", 30.0, set="no proof", optimal=False),
        row("murtree", 0.001, set="too short"),
        row("dl85", 0.009, set="too short"),
    )
    ratios = {key[1]: ratio for key, ratio in parts.ratios_of(found, "dl85").items()}
    assert ratios == {"both": 4.0, "we are slower": 0.25}
    cells = parts.summary_cells("depth 4", found, "dl85")
    assert cells == ["depth 4", "DL8.5", "4", "4", "3", "2", "1.0", "0.2", "4.0"]


def test_proofs_that_differ_are_named():
    parts = script("table_parts")
    same = problems(row("murtree", 1.0), row("dl85", 1.0), row("streed", 1.0, 9))
    assert "differ in 1: A depth 4 (murtree 3, DL8.5 3, STreeD 9)" in parts.agreement(
        same
    )
    unproved = problems(row("murtree", 1.0), row("dl85", 1.0, 9, optimal=False))
    assert parts.agreement(unproved) == (
        "Two or more systems prove 0 of 1 problems; their values differ in none."
    )
    alone = problems(row("murtree", 1.0, 9, optimal=False), row("dl85", 1.0))
    assert parts.agreement(alone).endswith("Proved by others only: A depth 4 (DL8.5).")


@pytest.mark.parametrize(
    ("measured", "shown"),
    [
        (row("dl85", 0.0004), "< 0.001"),
        (row("dl85", 0.1234), "0.123"),
        (row("dl85", 12.34), "12.3"),
        (row("dl85", 31.0, optimal=False), "> 30"),
        (row("dl85", None, status="failed", optimal=False), "failed"),
        (None, ""),
    ],
)
def test_seconds(measured, shown):
    assert script("table_parts").seconds(measured) == shown


@steady
@given(st.integers(0, 12), st.integers(0, 3))
def test_shallowest_perfect_tree_is_found(least, first):
    requested = []

    def fit(depth, seconds):
        assert 0 < seconds <= 100
        requested.append(depth)
        return depth if depth >= least else None

    found = script("perfect").shallowest(fit, 100, first)
    assert found == max(least, first)
    assert requested == list(range(first, found + 1))


def test_no_depth_is_tried_when_time_is_up(monkeypatch):
    perfect = script("perfect")
    clock = iter([0.0, 1.0, 1.0, 9.6])  # the start, twice around the fit, the end
    monkeypatch.setattr(perfect.time, "perf_counter", lambda: next(clock))
    assert perfect.shallowest(lambda _depth, _seconds: None, 10) is None


@steady
@given(st.integers(2, 10_000))
def test_errors_cost_more_than_nodes(n_rows):
    assert script("perfect").price(n_rows) * n_rows * (n_rows - 1) < 1


@steady
@given(st.lists(st.tuples(bits, bits, st.integers(0, 2)), min_size=1))
def test_largest_consistent_subset_is_kept(rows):
    data = np.array(rows)
    X, y = script("sets").consistent(data[:, :2], data[:, 2])
    classes = {}
    for *features, label in rows:
        classes.setdefault(tuple(features), []).append(label)
    left = {}
    for features, label in zip(map(tuple, X.tolist()), y.tolist(), strict=True):
        left.setdefault(features, set()).add(label)
    assert all(len(labels) == 1 for labels in left.values())
    assert len(y) == sum(max(map(labels.count, labels)) for labels in classes.values())


def test_subsamples_are_deterministic_and_nested():
    X = np.arange(100).reshape(100, 1)
    y = np.repeat([3, 5], 50)
    sets = script("sets")
    small, labels = sets.subsample(lambda: (X, y), 5)
    large, _ = sets.subsample(lambda: (X, y), 20)
    again, _ = sets.subsample(lambda: (X, y), 5)
    assert (len(small), len(large)) == (5, 20)
    assert set(small.ravel()) <= set(large.ravel())
    assert np.array_equal(small, again)
    assert set(labels) == {0, 1}


def test_murtree_finds_the_smallest_perfect_trees():
    peer, measure = script("peers.murtree"), script("measure")
    X = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)], np.int32)
    y = (X[:, 0] ^ X[:, 1]).astype(np.int32)
    shallow = peer.answer(peer.shallow(X, y, time_limit=10), X)
    small = peer.answer(peer.small(X, y, time_limit=10), X)
    assert measure.cost(shallow, y, "shallow", None) == 2
    assert measure.cost(small, y, "small", None) == 3
    assert measure.cost(small, 1 - y, "small", None) is None  # it has errors


def test_timeout_without_a_tree():
    measure, run = script("measure"), script("run")
    job = {"task": "shallow", "depth": None, "penalty": None}
    answer = measure.report(None, None, None, None, job)
    assert answer["status"] == "time_limit"
    assert not answer["optimal"]
    line = run.describe(job | answer | {"set": "A", "system": "dl85", "seconds": 10.0})
    assert line.endswith("no tree, time_limit")
