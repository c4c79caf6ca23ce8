// Helpers shared by the binding files: conversion of arrays from and to NumPy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/dataset.hpp"
#include "requests/request.hpp"
#include "requests/stats.hpp"
#include "requests/techniques.hpp"

namespace murtree {

template <class T, std::size_t n>
using Array =
    nanobind::ndarray<const T, nanobind::ndim<n>, nanobind::c_contig, nanobind::device::cpu>;
using Matrix01 = Array<std::uint8_t, 2>;
using BitColumns = Array<std::uint64_t, 2>;
using Labels = Array<std::int32_t, 1>;
using Weights = Array<std::int64_t, 1>;

inline Table01 table_of(const Matrix01& X) {
    return {X.data(), X.shape(0), X.shape(1)};
}

inline Table01 table_of(const BitColumns& columns, std::size_t n_rows) {
    if (columns.shape(1) != (n_rows + 63) / 64)
        throw nanobind::value_error("a column has a bit for each row");
    return {nullptr, n_rows, columns.shape(0), columns.data()};
}

template <class T>
std::span<const T> span_of(const Array<T, 1>& values) {
    return {values.data(), values.shape(0)};
}

// Every leaf has at least one row, so a minimum of one is no constraint.
inline LeastSizes least_sizes(std::int64_t min_samples_leaf, std::int64_t min_weight_leaf) {
    return {{min_samples_leaf > 1 ? min_samples_leaf : 0, min_weight_leaf}};
}

// The keys of a table, from a seed that is a hash of the table.
inline Keys keys_of(const nanobind::bytes& seed) {
    if (seed.size() != Keys::seed_bytes) throw nanobind::value_error("the seed has 32 bytes");
    const auto* const first = static_cast<const std::uint8_t*>(seed.data());
    return Keys(std::span<const std::uint8_t, Keys::seed_bytes>(first, Keys::seed_bytes));
}

inline const std::map<std::string, Counting> countings{{"auto", Counting::automatic},
                                                       {"dense", Counting::dense},
                                                       {"sparse", Counting::sparse},
                                                       {"incremental", Counting::incremental}};

using Dict = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

// The statistics that all searches have.
inline nanobind::dict stats_of(const SearchStats& stats, const Dataset& data) {
    nanobind::dict result;
    result["kernel"] = kernels::active()->name;
    result["seconds"] = stats.seconds;
    result["nodes"] = stats.nodes;
    result["depth_two_calls"] = stats.depth_two_calls;
    result["splits"] = stats.splits;
    result["cache_hits"] = stats.cache_hits;
    result["cache_entries"] = stats.cache_entries;
    result["cache_bytes"] = stats.cache_bytes;
    result["reduced_rows"] = data.reduced().n_rows();
    result["reduced_features"] = data.reduced().n_features;
    result["unavoidable"] = data.unavoidable();
    return result;
}

inline const char* name_of(Status status) {
    switch (status) {
        case Status::optimal:
            return "optimal";
        case Status::time_limit:
            return "time_limit";
        case Status::interrupted:
            return "interrupted";
        case Status::infeasible:
            return "infeasible";
    }
    return "";
}

template <class T>
nanobind::object to_numpy(std::vector<T> values, std::vector<std::size_t> shape = {}) {
    auto* owned = new std::vector<T>(std::move(values));  // owned by the capsule, which deletes it
    const nanobind::capsule owner(
        owned, [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
    if (shape.empty()) shape = {owned->size()};
    return nanobind::cast(
        nanobind::ndarray<nanobind::numpy, T>(owned->data(), shape.size(), shape.data(), owner));
}

}  // namespace murtree
