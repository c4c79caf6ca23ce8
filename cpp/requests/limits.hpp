// Stopping conditions behind one keep_going(): the time limit, a request of the caller, and the end
// of a time slice.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace murtree {

class Limits {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr double forever = 1e9;  // about thirty years; keeps infinity out of durations

    // `wants_to_stop` is called a few times a second and ends the search by returning true. It may
    // throw, which unwinds the search.
    Limits(double seconds, std::function<bool()> wants_to_stop)
        : wants_to_stop_(std::move(wants_to_stop)),
          start_(Clock::now()),
          last_deadline_(after(seconds)),
          deadline_(last_deadline_),
          next_call_(start_ + call_interval) {}

    // To be called before each piece of work of `cost` units, where a unit is roughly a tenth of a
    // microsecond: the clock is read about every hundred microseconds. The caller can also
    // interrupt what is completed after time is up.
    bool keep_going(std::int64_t cost) {
        credit_ -= cost;
        if (credit_ < 0 && !was_interrupted_) check();
        return !stopped_;
    }
    bool keep_going() { return keep_going(credit_per_check + 1); }  // checks the clock now

    // Gives the next of several searches this many of the seconds that are left.
    void start_share(double seconds) {
        deadline_ = std::min(after(seconds), last_deadline_);
        is_over_ = was_interrupted_ || Clock::now() >= last_deadline_;
        end_slices();
    }
    double seconds_left() const { return until(last_deadline_); }
    // Likewise, of this share.
    double share_left() const { return until(deadline_); }

    // Stops after this many seconds as if time were up, until the next slice starts or slicing
    // ends.
    void start_slice(double seconds) {
        slice_end_ = std::min(after(seconds), deadline_);
        stopped_ = is_over_;
    }
    void end_slices() {
        slice_end_ = Clock::time_point::max();
        stopped_ = is_over_;
    }

    bool stopped() const { return stopped_; }  // temporarily, or permanently:
    bool is_over() const { return is_over_; }
    bool was_interrupted() const { return was_interrupted_; }
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  private:
    static constexpr std::int64_t credit_per_check = 1000;
    static constexpr auto call_interval = std::chrono::milliseconds(20);

    static Clock::time_point after(double seconds) {
        if (seconds >= forever) return Clock::time_point::max();
        return Clock::now() +
               std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    }

    double until(Clock::time_point deadline) const {
        if (last_deadline_ == Clock::time_point::max()) return forever;
        return std::chrono::duration<double>(deadline - Clock::now()).count();
    }

    void check() {
        credit_ = credit_per_check;
        const Clock::time_point now = Clock::now();
        if (now >= deadline_) stopped_ = is_over_ = true;
        if (now >= slice_end_) stopped_ = true;
        if (now < next_call_) return;
        next_call_ = now + call_interval;
        if (wants_to_stop_ && wants_to_stop_()) stopped_ = is_over_ = was_interrupted_ = true;
    }

    std::function<bool()> wants_to_stop_;
    Clock::time_point start_;
    Clock::time_point last_deadline_;
    Clock::time_point deadline_;  // of this share
    Clock::time_point next_call_;
    Clock::time_point slice_end_ = Clock::time_point::max();
    std::int64_t credit_ = 0;
    bool stopped_ = false;
    bool is_over_ = false;
    bool was_interrupted_ = false;
};

}  // namespace murtree
