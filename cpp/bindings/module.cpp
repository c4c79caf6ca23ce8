// The Python module murtree._core.
#include <nanobind/nanobind.h>

#include "bindings/bindings.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The compiled core of murtree. Private: use murtree.Solver.";
    murtree::bind_solve(module);
    murtree::bind_pareto(module);
    murtree::bind_thresholds(module);
}
