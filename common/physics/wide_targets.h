// Owns the instruction sets that kernels are not compiled for: included before Highway.
#pragma once

// Vectors that cannot be members of a struct, or that have no doubles.
#if defined(__arm__)
#define HWY_DISABLED_TARGETS HWY_NEON
#else
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_WASM | HWY_WASM_EMU256)
#endif
