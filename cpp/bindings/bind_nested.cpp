// Bindings of the depth-two search over nested thresholds: arrays in, tests out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/python_values.hpp"
#include "bindings/watch.hpp"
#include "search/nested.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace murtree {
namespace {

constexpr double interval = 0.1;  // seconds between calls of the callback

using Dict = nb::typed<nb::dict, nb::str, nb::any>;

// `ranks` has one row per column. The caller (murtree._solver.depth_two_by_rank) has validated all
// arguments.
Dict nested_depth_two(const Array<std::uint32_t, 2>& ranks,
                      const Array<std::uint32_t, 1>& n_thresholds,
                      const Labels& labels,
                      const Weights& weights,
                      std::size_t n_classes,
                      double time_limit,
                      bool returns_on_interrupt,
                      const nb::object& wants_to_stop) {
    const std::size_t n_rows = ranks.shape(1);
    RankedRows rows;
    for (std::size_t column = 0; column < ranks.shape(0); ++column)
        rows.ranks.emplace_back(ranks.data() + column * n_rows, n_rows);
    rows.n_thresholds.assign(n_thresholds.data(), n_thresholds.data() + n_thresholds.shape(0));
    rows.labels = {labels.data(), n_rows};
    rows.weights = {weights.data(), n_rows};
    rows.n_classes = n_classes;
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const char* ended = "";
    double next = interval;
    const auto keep_going = [&] {
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        const nb::gil_scoped_acquire gil;
        if (was_interrupted(returns_on_interrupt)) ended = "interrupted";
        if (seconds >= time_limit) ended = "time_limit";
        if (!wants_to_stop.is_none() && seconds >= next) {
            next = seconds + interval;
            if (nb::cast<bool>(wants_to_stop(seconds))) ended = "interrupted";
        }
        return *ended == 0;
    };
    NestedAnswer answer;
    {
        const nb::gil_scoped_release no_gil;
        answer = best_nested(rows, keep_going);
    }
    std::vector<std::uint32_t> columns;
    std::vector<std::uint32_t> thresholds;
    for (const RankedTest& test : answer.tests) {
        columns.push_back(test.column);
        thresholds.push_back(test.threshold);
    }
    nb::dict result;
    result["ended"] = ended;  // None: the search is complete
    result["seconds"] = std::chrono::duration<double>(Clock::now() - start).count();
    result["costs"] = to_numpy(std::vector<std::int64_t>(answer.costs.begin(), answer.costs.end()));
    result["columns"] = to_numpy(std::move(columns));
    result["thresholds"] = to_numpy(std::move(thresholds));
    result["n_roots"] = answer.n_roots;
    return nb::borrow<Dict>(result);
}

}  // namespace

void bind_nested(nb::module_& module) {
    module.def("nested_depth_two",
               &nested_depth_two,
               "ranks"_a,
               "n_thresholds"_a,
               "labels"_a,
               "weights"_a,
               "n_classes"_a,
               "time_limit"_a,
               "returns_on_interrupt"_a,
               "wants_to_stop"_a.none());
}

}  // namespace murtree
