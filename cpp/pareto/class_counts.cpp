#include "pareto/class_counts.hpp"

#include <algorithm>

namespace murtree::pareto {

// Uses dense counting only: the fronts need every pair of a part, also of the smaller one.
template <class Lane>
void ClassCounts<Lane>::load(const Rows& rows,
                             const LeastSizes& least,
                             std::size_t pair_bytes,
                             Limits& limits) {
    least_ = least;
    counts_.load(rows,
                 {.layout = CountLayout::by_class(2, least.rows_only()),
                  .counting = Counting::dense,
                  .pair_bytes = pair_bytes,
                  .weighs = false},
                 limits);
    packed_ = &counts_.packed();
}

template <class Lane>
typename ClassCounts<Lane>::Kinds ClassCounts<Lane>::apart(const Lane* counts,
                                                           std::size_t size) const {
    Kinds kinds{};
    for (std::size_t kind = 0; kind < counts_.n_counts(); ++kind)
        kinds[kind] = counts + kind * size;
    return kinds;
}

template <class Lane>
CountsView<Lane> ClassCounts<Lane>::view_of(const Lane* pairs,
                                            const Counts& singles,
                                            const Counts& totals) const {
    const std::size_t stride = counts_.stride();
    const bool has_pairs = !counts_.is_in_strips();
    CountsView<Lane> view{rows().features,
                          stride,
                          has_pairs ? apart(pairs, stride * stride) : Kinds{},
                          0,
                          has_pairs ? stride : 0,
                          apart(singles.data(), stride),
                          {},
                          least_};
    for (std::size_t kind = 0; kind < totals.size(); ++kind)
        view.totals[kind] = CountsView<Lane>::value(totals[kind]);
    return view;
}

template <class Lane>
CountsView<Lane> ClassCounts<Lane>::view() const {
    return view_of(counts_.pairs(), counts_.singles(), counts_.totals());
}

template <class Lane>
std::vector<std::uint32_t> ClassCounts<Lane>::row_numbers(int side) const {
    std::vector<std::uint32_t> numbers;
    counts_.row_numbers(side, numbers);
    return numbers;
}

template <class Lane>
void ClassCounts<Lane>::count_parts(Limits& limits) {
    if (counts_.is_in_strips()) return;
    counts_.choose_smaller();
    counts_.pack_smaller();
    counted_side_ = counts_.smaller();
    part_pairs_ = counts_.count_smaller(limits);
}

template <class Lane>
CountsView<Lane> ClassCounts<Lane>::part(int side) {
    counts_.find_singles(side, part_singles_, part_totals_);
    if (counts_.is_in_strips()) {
        packed_ = &counts_.pack_part(side);
    } else if (side != counted_side_) {
        part_pairs_ = counts_.count_sibling();
        counted_side_ = side;
    }
    return view_of(part_pairs_, part_singles_, part_totals_);
}

template <class Lane>
void ClassCounts<Lane>::go_on(CountsView<Lane>& view, Limits& limits) {
    view.first = view.last;
    view.last = std::min(view.first + counts_.strip_rows(*packed_), view.stride);
    view.pairs = apart(counts_.count_strip(*packed_, view.first, view.last, 0, limits),
                       (view.last - view.first) * view.stride);
}

template class ClassCounts<std::int16_t>;
template class ClassCounts<std::int32_t>;
template class ClassCounts<std::int64_t>;

}  // namespace murtree::pareto
