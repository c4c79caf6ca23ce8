"""The compiled core of murtree. Private: use murtree.Solver."""

from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


def kernel_names() -> list[str]:
    """Kernels this machine can run, best first."""

def active_kernel() -> str:
    """The kernel in use."""

class Switches:
    def __init__(self, *, deduplicate: bool, merge_rows: bool, cache: str, similarity_bound: bool, refined_bound: bool, dynamic_order: bool, sibling_bound: bool, first_tree: bool, deepening: bool, depth_two: bool, cluster_bound: bool = True, feature_order: str, random_state: int, frequency_counts: str) -> None: ...

class Solver:
    def __init__(self, X: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, switches: Switches, seed: bytes) -> None: ...

    @staticmethod
    def of_costs(X: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], feature_costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], switches: Switches, seed: bytes) -> Solver: ...

    @staticmethod
    def of_targets(X: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sum: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], unit: float, feature_costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], switches: Switches, seed: bytes) -> Solver: ...

    def solve(self, max_depth: int, first_num_nodes: int, last_num_nodes: int, *, price_of_error: int, price_of_node: int, min_samples_leaf: int, min_weight_leaf: int, leaf_weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper_bound: int, time_limit: float, memory_limit: int, anytime: bool, returns_on_interrupt: bool, callback: object | None) -> dict[str, Any]: ...

def nested_depth_two(ranks: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_thresholds: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, time_limit: float, returns_on_interrupt: bool, wants_to_stop: object | None) -> dict[str, Any]: ...

class FrontSolver:
    def __init__(self, X: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: bytes) -> None: ...

    def solve(self, max_depth: int, max_num_nodes: int, *, min_samples_leaf: int, min_weight_leaf: int, time_limit: float, memory_limit: int, returns_on_interrupt: bool, callback: object | None) -> dict[str, Any]: ...
