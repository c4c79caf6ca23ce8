// A vector whose storage is aligned for the loads of the kernels.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "kernels/kernels.hpp"

namespace murtree {

template <class T>
struct AlignedAllocator {
    using value_type = T;

    AlignedAllocator() = default;
    template <class U>
    AlignedAllocator(const AlignedAllocator<U>&) {
    }  // NOLINT(google-explicit-constructor): the standard requires it

    T* allocate(std::size_t n) {
        return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{kernels::alignment}));
    }
    void deallocate(T* pointer, std::size_t) {
        ::operator delete(pointer, std::align_val_t{kernels::alignment});
    }

    // Leaves new elements uninitialised: every array is written before it is read, and clearing a
    // large one costs as much as filling it.
    template <class U>
    void construct(U* pointer) noexcept {
        ::new (static_cast<void*>(pointer)) U;
    }
    template <class U, class... Args>
    void construct(U* pointer, Args&&... args) {
        ::new (static_cast<void*>(pointer)) U(static_cast<Args&&>(args)...);
    }

    bool operator==(const AlignedAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace murtree
