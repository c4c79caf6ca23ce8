"""Find optimal trees on 0/1 data; most of this module documents `Solver`."""

from typing import Any

from murtree._input.parameters import check_bound
from murtree._solver.engine import Engine
from murtree._solver.frontier import Frontier
from murtree._solver.objectives.read import read_problem
from murtree._solver.request import Callback, check_limits, until_end
from murtree._solver.result import Result
from murtree._solver.switches import Switches


class Solver:
    """Find provably best decision trees on 0/1 data.

    A solver answers many requests about the same data and reuses results of earlier
    requests (paper, Section "Incremental Solving").

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features: bool, or numbers that are 0 or 1.
    y : array-like of shape (n_samples,)
        Labels: all str, all int or all bool. For "squared_error" finite numbers.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative numbers; a weight of k counts as k copies of its row, 0 as absence.
        Whole numbers, and others with a common unit, are exact (see Notes).
    objective : str or array-like of shape (n_classes, n_classes), default="accuracy"
        What to minimise:

        - "accuracy": the misclassified weight;
        - "balanced_accuracy": one minus the mean recall of the classes;
        - a matrix of non-negative costs: the total cost, where a row of class i that is
          predicted as j costs ``costs[i][j]`` times its weight (classes are sorted);
        - "accuracy_then_gini": the misclassified weight, and among the trees with the
          least of it the Gini impurity; the objective is the weight;
        - "gini": the Brier score of the class frequencies p of the leaves, the sum of
          ``w * |e - p|**2``, where e is 1 for the class of the row; this is the Gini
          impurity of the leaves times their weights;
        - "log_loss": the sum of ``-w * ln(p)`` for the classes of the rows, the entropy
          of the leaves in nats times their weights;
        - "squared_error": the weighted sum of squared errors of `y`, real numbers,
          where a leaf predicts its weighted mean;
        - "absolute_error": the weighted sum of absolute errors, where a leaf predicts a
          weighted median. Time grows with the number of distinct targets.
    feature_costs : array-like of shape (n_features,), default=None
        Amount that each branching node that tests a column adds to the objective, in
        units of the objective; None means nothing.
    deduplicate : bool, default=True
        Drop columns that are constant, or equal to another one or to its complement.
    merge_rows : bool, default=True
        Merge rows with equal features into weighted ones, and bound every subset by
        the equal rows of different classes.
    cache : {"dataset", "branch", "none"}, default="dataset"
        Key by which subproblems are cached: their rows, the tests that lead to them, or
        no cache (paper, Section "Caching of Optimal Subtrees (Memoisation)").
    similarity_bound : bool, default=True
        Bound subproblems by similar ones solved before (Section "Similarity-Based Lower
        Bounding").
    refined_bound : bool, default=True
        Bound a node without a tree within its upper bound by the bounds of its children
        (Section "Storing Subtrees and Lower Bounds in the Cache", RLB).
    cluster_bound : bool, default=True
        Bound squared errors by the best clustering of the targets into as many groups
        as there are leaves; other objectives do not use it.
    frequency_counts : {"auto", "dense", "sparse", "incremental"}, default="auto"
        How pairs of features are counted: over packed columns, row by row (Section
        "Phase One: Frequency counting"), or by the changes since the last count
        (Section "Incremental Computation"). "auto" chooses the expected fastest.
    node_selection : {"dynamic", "post-order"}, default="dynamic"
        Which child comes first: the one with more expected errors, or always the left
        one (Section "Node Selection Strategy").
    feature_order : {"auto", "in-order", "gini", "random"}, default="auto"
        The order in which features are tried at a node: as in `X`, by Gini impurity, at
        random (Section "Feature Selection"), or by results of the search so far.
    random_state : int, default=None
        Seed of the random order; other orders do not use it. None is a fixed seed.
    sibling_bound : bool, default=True
        Subtract the lower bound of an unsolved child from the upper bound of its
        sibling (Section "Main Algorithm Description", Algorithm 3).
    first_tree : bool, default=True
        Start with the objective of a greedy tree as upper bound; the greedy search uses
        the depth-two algorithm as look-ahead.
    deepening : bool, default=True
        Solve each subproblem at smaller depths first, to bound and order the deeper
        search (Section "Anytime Behaviour" names the idea).
    depth_two : bool, default=True
        Solve depth two by counting pairs of features (Section "Specialised Algorithm
        for Trees of Depth Two") instead of the general search.

    Attributes
    ----------
    classes_ : ndarray or None
        The distinct labels, sorted; None for "squared_error".
    n_features_in_ : int
        The number of columns of `X`.

    Notes
    -----
    Switches change the time, never the objective; they exist for measurements and
    tests. "Paper" is Demirović et al., MurTree, JMLR 23, 2022.

    The core computes in integers. Weights that are multiples of a common unit (equal
    weights, up to six decimals, simple ratios) are exact; equal weights are the same as
    none. Other weights, and costs, are rounded down to multiples of about 2**-34 of
    their largest possible sum. Squared errors are rounded to about 2**-36 of those of a
    single leaf, for each leaf, and so are impurities. Smaller differences are ties.
    Reported objectives are computed from the tree and the numbers as given.

    Examples
    --------
    >>> from murtree import Solver
    >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]]
    >>> solver = Solver(X, ["no", "yes", "yes", "no"])
    >>> solver.solve(max_depth=2).objective
    0
    >>> solver.solve(max_depth=2, max_num_nodes=2).objective
    1
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        objective: Any = "accuracy",
        feature_costs: Any = None,
        deduplicate: bool = True,
        merge_rows: bool = True,
        cache: str = "dataset",
        similarity_bound: bool = True,
        refined_bound: bool = True,
        cluster_bound: bool = True,
        frequency_counts: str = "auto",
        node_selection: str = "dynamic",
        feature_order: str = "auto",
        random_state: int | None = None,
        sibling_bound: bool = True,
        first_tree: bool = True,
        deepening: bool = True,
        depth_two: bool = True,
    ) -> None:
        switches = Switches(
            deduplicate=deduplicate,
            merge_rows=merge_rows,
            cache=cache,
            similarity_bound=similarity_bound,
            refined_bound=refined_bound,
            cluster_bound=cluster_bound,
            frequency_counts=frequency_counts,
            node_selection=node_selection,
            feature_order=feature_order,
            random_state=random_state,
            sibling_bound=sibling_bound,
            first_tree=first_tree,
            deepening=deepening,
            depth_two=depth_two,
        )
        problem = read_problem(X, y, sample_weight, objective, feature_costs)
        self._engine = Engine(problem, switches)
        self.classes_ = self._engine.problem.classes
        self.n_features_in_ = self._engine.problem.n_features

    def solve(
        self,
        max_depth: int | None,
        max_num_nodes: int | None = None,
        *,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        cost_complexity: float = 0.0,
        fewest_nodes: bool = False,
        upper_bound: float | None = None,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        callback: Callback | None = None,
        on_interrupt: str = "raise",
    ) -> Result:
        """Find the tree with the least objective within the limits.

        The objective is that of the solver, by default the misclassified weight, plus a
        penalty of ``cost_complexity * total * nodes``. The total is the weight of all
        rows; for costs the largest possible cost; 1 for the balanced accuracy; for
        squared errors those of a single leaf.

        Parameters
        ----------
        max_depth : int or None
            The maximum depth, 0 to 20. None means no limit, and needs a `max_num_nodes`
            of at most 255 or a `cost_complexity` that keeps the tree within 255 levels.
        max_num_nodes : int, default=None
            The maximum number of branching nodes; None means no limit but the depth.
        min_samples_leaf : int, default=1
            The minimum number of rows of `X` in a leaf, as in scikit-learn: rows of any
            weight except zero.
        min_weight_fraction_leaf : float, default=0.0
            The minimum fraction of the total weight in a leaf, 0 to 0.5, as in
            scikit-learn (see Notes).
        cost_complexity : float, default=0.0
            The penalty for each branching node, as a fraction of the total (paper,
            Section "Sparse Objective"). It is rounded down to a multiple of 1/S of an
            error, where S is the largest power of two with
            ``S * total weight <= 2**30``, but at least 1024; `fewest_nodes` uses some
            of these bits. For other objectives it is rounded down to their resolution.
        fewest_nodes : bool, default=False
            Find a tree with the fewest nodes among those with the least objective
            (Section "Minimising Number of Nodes"). It can take far longer, since a tree
            without errors no longer ends the search.
        upper_bound : int or float, default=None
            Search only for trees with at most this objective, up to the resolution of
            the objective. None or infinity: no bound.
        time_limit : float, default=None
            Seconds after which to return the best tree so far; None means no limit.
        memory_limit : int or str, default=None
            Bytes that the search may use in addition to the data, or a str such as
            "64MB", "4GB" or "512MiB". A full cache drops entries; the result stays
            exact. None means a cache of up to 1 GiB.
        callback : callable, default=None
            Called about ten times a second with a `Progress`; returning True ends the
            search. An exception ends the search and is raised to the caller. A method
            `search_ended`, if present, is called with the result at the end, or with
            None after an exception, as in `ProgressBar`. A callback must not call the
            solver that calls it: this raises a RuntimeError.
        on_interrupt : {"raise", "return"}, default="raise"
            Effect of Ctrl-C: raise KeyboardInterrupt, or return the best tree so far.

        Returns
        -------
        result : Result
            The tree with its objective, lower bound, status and statistics.

        Notes
        -----
        A leaf other than a single root must weigh at least ``min_weight_fraction_leaf``
        times the total, a product in float64 as in scikit-learn. Weights with a common
        unit are added up exactly; others are first rounded to about 2**-52 of their
        sum.

        Examples
        --------
        >>> from murtree import Solver
        >>> solver = Solver([[0, 1], [1, 1], [1, 0]], [0, 0, 1])
        >>> solver.solve(max_depth=1).tree.predict([[0, 0], [0, 1]])
        array([1, 0])
        >>> solver.solve(max_depth=0, upper_bound=0).status
        'infeasible'
        >>> solver.solve(max_depth=None, cost_complexity=0.1).objective
        0.30000000000000004
        """
        request = check_limits(
            "Solver.solve",
            max_depth=max_depth,
            max_num_nodes=max_num_nodes,
            cost_complexity=cost_complexity,
            fewest_nodes=fewest_nodes,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            time_limit=time_limit,
            memory_limit=memory_limit,
            callback=callback,
            on_interrupt=on_interrupt,
        )
        bound = check_bound(upper_bound, "upper_bound", request.owner)
        return until_end(callback, lambda: self._engine.find(request, bound))

    def frontier(
        self,
        max_depth: int | None,
        max_num_nodes: int | None = None,
        *,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        callback: Callback | None = None,
        on_interrupt: str = "raise",
    ) -> Frontier:
        """Find the best tree for every number of nodes, in one search.

        Parameters
        ----------
        max_depth : int or None
            The maximum depth, 0 to 20; None, with a `max_num_nodes`, means no limit.
        max_num_nodes : int, default=None
            The maximum number of branching nodes, at most 255; None means no limit but
            the depth (up to depth 8).
        min_samples_leaf, min_weight_fraction_leaf, time_limit, memory_limit
            As for `solve`.
        callback, on_interrupt
            As for `solve`; `callback` receives the progress of the largest size.

        Returns
        -------
        frontier : Frontier
            ``frontier[m]`` is the `Result` for at most m nodes.

        Examples
        --------
        >>> from murtree import Solver
        >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
        >>> frontier = Solver(X, [0, 1, 1, 0, 0]).frontier(max_depth=2)
        >>> frontier.misclassified
        array([2, 2, 1, 0])
        """
        request = check_limits(
            "Solver.frontier",
            max_depth=max_depth,
            max_num_nodes=max_num_nodes,
            frontier=True,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            time_limit=time_limit,
            memory_limit=memory_limit,
            callback=callback,
            on_interrupt=on_interrupt,
        )
        return until_end(callback, lambda: self._engine.find_all(request))
