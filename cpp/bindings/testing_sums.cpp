// Phase two of summed problems, for tests: see testing_module.cpp.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "bindings/python_values.hpp"
#include "bindings/testing.hpp"
#include "data/aligned.hpp"
#include "kernels/sum_kernels.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace murtree {
namespace {

const std::map<std::string, kernels::SumKind> sum_kinds{{"squares", kernels::SumKind::squares},
                                                        {"gini", kernels::SumKind::gini},
                                                        {"log_loss", kernels::SumKind::log_loss}};

using Numbers = Array<double, 1>;

// Phase two of a summed problem from the sums of every pair of features, columns x stride x stride:
// the leaves with and without each feature, and the same with one more split.
std::vector<std::vector<double>> sum_phase_two(const std::string& name,
                                               const std::string& kind,
                                               const Numbers& pairs,
                                               const Numbers& totals,
                                               std::size_t n_features,
                                               double unit,
                                               double per_error) {
    const std::size_t n_columns = totals.shape(0);
    const std::size_t stride =
        (n_features + kernels::feature_block - 1) / kernels::feature_block * kernels::feature_block;
    const AlignedVector<double> sums(pairs.data(), pairs.data() + pairs.shape(0));
    AlignedVector<double> singles, prices;
    singles.assign(n_columns * stride, 0);
    prices.assign(stride, 0);
    for (std::size_t c = 0; c < n_columns; ++c)
        for (std::size_t j = 0; j < n_features; ++j)
            singles[c * stride + j] = sums[(c * stride + j) * stride + j];
    std::array<AlignedVector<double>, 4> values;
    for (AlignedVector<double>& side : values) side.resize(stride);
    table_named(name).sums.phase_two({sum_kinds.at(kind),
                                      unit,
                                      per_error,
                                      n_columns,
                                      0,
                                      nullptr,
                                      sums.data(),
                                      nullptr,
                                      0,
                                      n_features,
                                      stride * stride,
                                      singles.data(),
                                      totals.data(),
                                      prices.data(),
                                      n_features,
                                      stride,
                                      values[0].data(),
                                      values[1].data(),
                                      values[2].data(),
                                      values[3].data()});
    std::vector<std::vector<double>> answers;
    for (const AlignedVector<double>& side : values)
        answers.emplace_back(side.begin(), side.begin() + static_cast<std::ptrdiff_t>(n_features));
    return answers;
}

}  // namespace

void bind_sums(nb::module_& module) {
    module.def("sum_phase_two",
               sum_phase_two,
               "name"_a,
               "kind"_a,
               "pairs"_a,
               "totals"_a,
               "n_features"_a,
               "unit"_a,
               "per_error"_a);
}

}  // namespace murtree
