// Checks that a search makes a few times a second: for Ctrl-C, and for the result of the caller's
// callback.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

namespace murtree {

// Whether Ctrl-C was pressed, with `returns_on_interrupt`. Without it throws KeyboardInterrupt;
// exceptions of other signals' handlers are always thrown. The caller holds the GIL.
inline bool was_interrupted(bool returns_on_interrupt) {
    if (PyErr_CheckSignals() == 0) return false;
    if (!returns_on_interrupt || PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) == 0)
        throw nanobind::python_error();
    PyErr_Clear();
    return true;
}

// Owned by the caller of the search, who holds the GIL when it is created and destroyed.
class Watch {
  public:
    Watch(nanobind::object callback, bool returns_on_interrupt)
        : callback_(std::move(callback)), returns_on_interrupt_(returns_on_interrupt) {}

    // Whether to stop. `call` receives the callback, if there is one and it is due.
    template <class Call>
    bool operator()(double seconds, Call call) {
        const nanobind::gil_scoped_acquire gil;
        if (was_interrupted(returns_on_interrupt_)) return true;
        if (callback_.is_none() || seconds < next_) return false;
        next_ = seconds + interval;
        return nanobind::cast<bool>(call(callback_));
    }

  private:
    static constexpr double interval = 0.1;  // seconds

    nanobind::object callback_;
    bool returns_on_interrupt_;
    double next_ = 0;
};

}  // namespace murtree
