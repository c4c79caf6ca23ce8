// What the files of the module murtree._core_testing share.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "kernels/kernels.hpp"

namespace murtree {

const kernels::Table& table_named(const std::string& name);

void bind_sums(nanobind::module_& module);

}  // namespace murtree
