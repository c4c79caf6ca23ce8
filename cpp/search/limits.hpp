// When to stop: the time limit and the caller's interrupt, behind one keep_going().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace murtree {

class Limits {
  public:
    using Clock = std::chrono::steady_clock;

    // `interrupted` is asked a few times a second and ends the search by returning true.
    Limits(double seconds, std::function<bool()> interrupted)
        : interrupted_(std::move(interrupted)), next_question_(Clock::now() + question_interval) {
        has_deadline_ =
            seconds < 1e9;  // some thirty years; also keeps infinity out of the duration
        if (has_deadline_)
            deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(seconds));
    }

    // To be called before each piece of work of `cost` units, a unit being very roughly a tenth of
    // a microsecond: the clock is read after about a hundred microseconds' worth of them.
    bool keep_going(std::int64_t cost) {
        credit_ -= cost;
        if (credit_ < 0 && !stopped_) check();
        return !stopped_;
    }
    bool keep_going() { return keep_going(credit_per_check + 1); }  // look at the clock now

    bool stopped() const { return stopped_; }
    bool was_interrupted() const { return was_interrupted_; }

  private:
    static constexpr std::int64_t credit_per_check = 1000;
    static constexpr auto question_interval = std::chrono::milliseconds(20);

    void check() {
        credit_ = credit_per_check;
        const Clock::time_point now = Clock::now();
        if (has_deadline_ && now >= deadline_) stopped_ = true;
        if (now < next_question_) return;
        next_question_ = now + question_interval;
        if (interrupted_ && interrupted_()) stopped_ = was_interrupted_ = true;
    }

    std::function<bool()> interrupted_;
    Clock::time_point deadline_;
    Clock::time_point next_question_;
    bool has_deadline_ = false;
    std::int64_t credit_ = 0;
    bool stopped_ = false;
    bool was_interrupted_ = false;
};

}  // namespace murtree
