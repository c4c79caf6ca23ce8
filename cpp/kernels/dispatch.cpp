// Selects the kernels. The only file that queries the CPU's features.
#include <cstdlib>
#include <cstring>

#include "kernels/kernels.hpp"

namespace murtree::kernels {
namespace {

#ifdef MURTREE_X86
bool has_avx2() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}

bool has_avx512() {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bitalg") &&
           __builtin_cpu_supports("avx512vpopcntdq");
}
#endif

struct Available {
    const Table* tables[4] = {};

    Available() {
        const Table** next = tables;
#ifdef MURTREE_X86
        if (has_avx512()) *next++ = &avx512;
        if (has_avx2()) *next++ = &avx2;
#endif
        *next = &portable;
    }
};

const Table* choose() {
    const char* forced = std::getenv("MURTREE_KERNEL");
    if (forced == nullptr || *forced == '\0') return available()[0];
    for (const Table* const* table = available(); *table != nullptr; ++table)
        if (std::strcmp((*table)->name, forced) == 0) return *table;
    return nullptr;
}

}  // namespace

const Table* const* available() {
    static const Available list;
    return list.tables;
}

const Table* active() {
    static const Table* const table = choose();
    return table;
}

}  // namespace murtree::kernels
