// Owns the instruction sets that kernels are not compiled for: included before Highway.
#pragma once

// Vectors that cannot be members of a struct, or that have no doubles; and SSSE3, as nearly all
// processors that have it have SSE4 as well.
#if defined(__arm__)
#define HWY_DISABLED_TARGETS HWY_NEON
#elif defined(__i386__) || defined(__x86_64__)
#define HWY_DISABLED_TARGETS HWY_SSSE3
#else
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_WASM | HWY_WASM_EMU256)
#endif
