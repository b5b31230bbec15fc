// Measures the divider and the memory of this machine, compiled for each instruction set.
#include "tests/bench/machine.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "tests/bench/table.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/bench/machine.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace orrery::bench {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<double>;

// Divides four independent vectors at a time, which keep the divider busy and fit into the
// registers.
double divide(std::uint64_t vectors) {
  const Tag d;
  const auto divisor = hn::Set(d, 1.0000001);
  auto sum = hn::Zero(d);
  for (std::uint64_t i = 0; i < vectors; i += 4) {
    auto a = hn::Set(d, 1.0 + static_cast<double>(i));
    auto b = hn::Add(a, divisor);
    auto c = hn::Add(b, divisor);
    auto e = hn::Add(c, divisor);
    for (int k = 0; k < 6; ++k) {
      a = hn::Div(a, divisor);
      b = hn::Div(b, divisor);
      c = hn::Div(c, divisor);
      e = hn::Div(e, divisor);
    }
    sum =
        hn::Add(sum, hn::Add(hn::Add(hn::Sqrt(a), hn::Sqrt(b)), hn::Add(hn::Sqrt(c), hn::Sqrt(e))));
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

std::uint64_t lanes() { return hn::Lanes(Tag()); }

void pass_over(double* memory, std::size_t count) {
  const Tag d;
  const auto factor = hn::Set(d, 1.0000001);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Store(hn::Mul(hn::Load(d, memory + i), factor), d, memory + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace orrery::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orrery::bench {

HWY_EXPORT(divide);
HWY_EXPORT(lanes);
HWY_EXPORT(pass_over);

const char* widest_target() {
  const std::int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(targets & -targets);
}

double divider_seconds_per_body() {
  constexpr std::uint64_t kVectors = 400000;
  volatile double sink = 0;
  Best best;
  for (int round = 0; round < kRounds; ++round) {
    best.run([&] { sink = sink + HWY_DYNAMIC_DISPATCH(divide)(kVectors); });
  }
  return best.seconds() / static_cast<double>(kVectors * HWY_DYNAMIC_DISPATCH(lanes)());
}

double memory_bytes_per_second() {
  constexpr std::size_t kDoubles = std::size_t{30} << 20;  // 240 MiB: about a million bodies
  constexpr std::align_val_t kAlignment{64};
  double* const memory =
      static_cast<double*>(::operator new(kDoubles * sizeof(double), kAlignment));
  std::fill_n(memory, kDoubles, 1.0);
  Best best;
  for (int round = 0; round < kRounds; ++round) {
    best.run([&] { HWY_DYNAMIC_DISPATCH(pass_over)(memory, kDoubles); });
  }
  ::operator delete(memory, kAlignment);
  return 2.0 * kDoubles * sizeof(double) / best.seconds();
}

}  // namespace orrery::bench
#endif  // HWY_ONCE
