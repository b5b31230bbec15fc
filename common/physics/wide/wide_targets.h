// Excludes instruction sets from the kernels. Include it before Highway.
#pragma once

// Excludes instruction sets with vectors that cannot be members of a struct, or without doubles.
// Excludes SSSE3 too, because nearly all processors with SSSE3 also have SSE4. HWY_WASM
// stays, because wasm_doubles.inl gives it doubles; HWY_WASM_EMU256 gets none.
#if defined(__arm__)
#define HWY_DISABLED_TARGETS HWY_NEON
#elif defined(__i386__) || defined(__x86_64__)
#define HWY_DISABLED_TARGETS HWY_SSSE3
#else
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_WASM_EMU256)
#endif
