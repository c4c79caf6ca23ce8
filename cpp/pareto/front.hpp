// A Pareto front of (false positives, false negatives), with a tree for each point.
//
// Points are sorted: fp ascends, fn strictly descends. Both are integers, fp at most the weight N
// of class 0 and fn at most the weight P of class 1, so a front has at most min(N, P) + 1 points.
//
// A tree is stored in preorder, one word per node: the dataset column it tests, followed by the
// subtree of the rows without it and that of the rows with it; or a leaf with its label. A point is
// thus self-contained: no tree is lost if a search is interrupted or the cache is cleared.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "requests/front_request.hpp"

namespace murtree::pareto {

inline constexpr std::uint32_t leaf_flag = 1u << 31;

class Front {
  public:
    std::size_t size() const { return points_.size(); }
    const Point& operator[](std::size_t k) const { return points_[k]; }
    std::span<const Point> points() const { return points_; }
    std::span<const std::uint32_t> tree(std::size_t k) const {
        return {words_.data() + starts_[k], words_.data() + starts_[k + 1]};
    }

    // Appends a point; the words of its tree are appended first.
    void append(std::uint32_t word) { words_.push_back(word); }
    void append(std::span<const std::uint32_t> words) {
        words_.insert(words_.end(), words.begin(), words.end());
    }
    void append_leaf(std::uint32_t label) { words_.push_back(leaf_flag | label); }
    void end_tree(const Point& point) {
        points_.push_back(point);
        starts_.push_back(static_cast<std::uint32_t>(words_.size()));
    }

    std::size_t bytes() const {
        return sizeof(Front) + points_.capacity() * sizeof(Point) +
               (words_.capacity() + starts_.capacity()) * sizeof(std::uint32_t);
    }

  private:
    std::vector<Point> points_;
    std::vector<std::uint32_t> words_;
    std::vector<std::uint32_t> starts_{0};
};

}  // namespace murtree::pareto
