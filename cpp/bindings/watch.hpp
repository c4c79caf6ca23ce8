// What a search asks a few times a second: whether Ctrl-C has come, and what the caller's callback
// says.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

namespace murtree {

// Whether Ctrl-C has come and means to stop. Raises it if not, or what another signal's handler
// raises. The caller holds the GIL.
inline bool was_told_to_stop(bool returns_on_interrupt) {
    if (PyErr_CheckSignals() == 0) return false;
    if (!returns_on_interrupt || PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) == 0)
        throw nanobind::python_error();
    PyErr_Clear();
    return true;
}

// Belongs to the caller of the search, who holds the GIL when it is made and deleted.
class Watch {
  public:
    Watch(nanobind::object callback, bool returns_on_interrupt)
        : callback_(std::move(callback)), returns_on_interrupt_(returns_on_interrupt) {}

    // Whether to stop. `call` is given the callback, where there is one and it is time to call it.
    template <class Call>
    bool operator()(double seconds, Call call) {
        const nanobind::gil_scoped_acquire gil;
        if (was_told_to_stop(returns_on_interrupt_)) return true;
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
