// The functions that add each binding file's contents to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace murtree {

void bind_solve(nanobind::module_& module);
void bind_pareto(nanobind::module_& module);
void bind_thresholds(nanobind::module_& module);

}  // namespace murtree
