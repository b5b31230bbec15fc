// Adds vectors of doubles to Highway's WebAssembly target, which has none in version 1.0.3.
//
// Kernels include it after highway.h. Sums, products, quotients and roots are instructions of
// fixed-width SIMD, whose results the standard defines bit for bit. Relaxed SIMD is never used.
#if HWY_TARGET == HWY_WASM && !defined(ORRERY_WASM_DOUBLES)
#define ORRERY_WASM_DOUBLES

HWY_BEFORE_NAMESPACE();
namespace hwy {
namespace HWY_NAMESPACE {

template <std::size_t N>
using Doubles = Vec128<double, N>;  // one or two lanes
template <std::size_t N>
using DoubleMask = Mask128<double, N>;
static_assert(HWY_LANES(double) == 2);

template <std::size_t N, HWY_IF_LE128(double, N)>
HWY_API Doubles<N> Set(Simd<double, N, 0> /* tag */, double value) {
  return {wasm_f64x2_splat(value)};
}

// Define an operation on each lane by one instruction.
#define ORRERY_OPERATION(Result, name, instruction)      \
  template <std::size_t N>                               \
  HWY_API Result<N> name(Doubles<N> a, Doubles<N> b) {   \
    return {wasm_f64x2_##instruction(a.raw, b.raw)};     \
  }

ORRERY_OPERATION(Doubles, operator+, add)
ORRERY_OPERATION(Doubles, operator-, sub)
ORRERY_OPERATION(Doubles, operator*, mul)
ORRERY_OPERATION(Doubles, operator/, div)
ORRERY_OPERATION(DoubleMask, operator==, eq)
ORRERY_OPERATION(DoubleMask, operator<, lt)
ORRERY_OPERATION(DoubleMask, operator>, gt)
ORRERY_OPERATION(DoubleMask, operator<=, le)
ORRERY_OPERATION(DoubleMask, operator>=, ge)
ORRERY_OPERATION(Doubles, PseudoMax, pmax)  // a < b ? b : a
ORRERY_OPERATION(Doubles, PseudoMin, pmin)  // b < a ? b : a
#undef ORRERY_OPERATION

template <std::size_t N>
HWY_API Doubles<N> Sqrt(Doubles<N> a) {
  return {wasm_f64x2_sqrt(a.raw)};
}

// Writes bit i of the first byte for lane i.
template <std::size_t N>
HWY_API std::size_t StoreMaskBits(Simd<double, N, 0> /* tag */, DoubleMask<N> mask,
                                  std::uint8_t* bits) {
  static_assert(N == 1 || N == 2);
  *bits = static_cast<std::uint8_t>(wasm_i64x2_bitmask(mask.raw) & ((1u << N) - 1));
  return 1;
}

// --- floats, and parts of vectors: eight bytes in the lower half of a register ---

static_assert(sizeof(Vec128<float, 2>) == 16 && sizeof(Doubles<1>) == 16);

template <std::size_t N>
HWY_API Doubles<N> PromoteTo(Simd<double, N, 0> /* tag */, Vec128<float, N> from) {
  return {wasm_f64x2_promote_low_f32x4(from.raw)};
}
template <std::size_t N>
HWY_API Vec128<float, N> DemoteTo(Simd<float, N, 0> /* tag */, Doubles<N> from) {
  return {wasm_f32x4_demote_f64x2_zero(from.raw)};
}
HWY_API Vec128<float, 2> LoadU(Simd<float, 2, 0> /* tag */, const float* from) {
  return {wasm_v128_load64_zero(from)};
}
HWY_API void StoreU(Vec128<float, 2> value, Simd<float, 2, 0> /* tag */, float* to) {
  wasm_v128_store64_lane(to, value.raw, 0);
}
HWY_API Doubles<1> LoadU(Simd<double, 1, 0> /* tag */, const double* from) {
  return {wasm_v128_load64_zero(from)};
}
HWY_API void StoreU(Doubles<1> value, Simd<double, 1, 0> /* tag */, double* to) {
  wasm_v128_store64_lane(to, value.raw, 0);
}

// --- integers of 64 bits ---

template <std::size_t N>
HWY_API Vec128<std::uint64_t, N> operator*(Vec128<std::uint64_t, N> a,
                                           Vec128<std::uint64_t, N> b) {
  return {wasm_i64x2_mul(a.raw, b.raw)};
}
HWY_API Vec128<std::int64_t> operator>>(Vec128<std::int64_t> a, Vec128<std::int64_t> bits) {
  return {wasm_i64x2_make(wasm_i64x2_extract_lane(a.raw, 0) >> wasm_i64x2_extract_lane(bits.raw, 0),
                          wasm_i64x2_extract_lane(a.raw, 1)
                              >> wasm_i64x2_extract_lane(bits.raw, 1))};
}

}  // namespace HWY_NAMESPACE
}  // namespace hwy
HWY_AFTER_NAMESPACE();
#endif
