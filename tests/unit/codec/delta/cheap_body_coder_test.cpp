// Tests the predictions of level cheap: a motion that one of them knows costs few bits, and the
// same motion with noise costs more.
#include <gtest/gtest.h>

#include <cmath>

#include "common/codec/delta/body_coder.h"
#include "common/codec/delta/entropy/bit_coder.h"
#include "tests/unit/codec/delta/motions.h"

namespace orrery::codec {
namespace {

void expect_cheap(const Motion& motion, double most) {
  expect_predicted(motion, most, DeltaLevel::cheap);
}

TEST(CheapBodyCoder, SteadyMotionIsPredicted) {
  expect_cheap(
      [](std::uint32_t i, double t, Vec3& position, Quat&) {
        position = {1000.0 * i + 3 * t, 5 * t, 2.0 * i * t};
      },
      6);
}

TEST(CheapBodyCoder, FlightIsPredicted) {
  expect_cheap(
      [](std::uint32_t i, double t, Vec3& position, Quat&) {
        position = {1000.0 * i + 3 * t, 300 * t - 0.5 * t * t, 2.0 * i * t};
      },
      6);
}

TEST(CheapBodyCoder, SpinIsPredicted) {
  expect_cheap(
      [](std::uint32_t i, double t, Vec3& position, Quat& orientation) {
        const double half = 0.005 * t * (1 + 0.02 * i);
        position = {1000.0 * i + 3 * t, 0, 0};
        orientation = {0, 0, std::sin(half), std::cos(half)};
      },
      14);
}

// Motions that overflow 32 bits must come back too.
TEST(CheapBodyCoder, LeapsAcrossTheGridComeBack) {
  Pair pair(cubes(2), DeltaLevel::cheap);
  for (std::uint64_t tick = 1; tick <= 20; ++tick) {
    const std::int32_t x = tick % 2 == 0 ? kGridPositionMax : -kGridPositionMax;
    QuantisedFrame frame{Tick{tick}, {body_at(0, x, -x, 0), body_at(1, 5, x, x)}};
    ASSERT_GE(pair.send(frame), 0) << "tick " << tick;
  }
}

// Decodes a frame with one body that was at rest at 0. Its numbers are coded by their differences.
bool decodes(std::int32_t position, std::int32_t orientation) {
  Pair pair(cubes(1), DeltaLevel::cheap);
  QuantisedFrame frame{Tick{1}, {body_at(0, 0, 0, 0)}};
  EXPECT_GE(pair.send(frame), 0);
  std::vector<std::uint8_t> bytes;
  BitWriter out(bytes);
  out.raw(0, 2);  // nothing arrives, and the references stay
  out.raw(3, 2);  // a body of the block changes: the first one
  out.raw(1, 1);  // active
  out.raw(1, 1);
  for (int axis = 0; axis < 3; ++axis) out.rice(0, position);
  out.raw(0, 1);  // the largest component stays
  out.raw(1, 1);
  for (int axis = 0; axis < 3; ++axis) out.rice(0, orientation);
  out.finish();
  CodedFrame decoded;
  DeltaCodec decoder(cubes(1), DeltaLevel::cheap);
  return decoder.decode(pair.received, Tick{2}, bytes, decoded);
}

TEST(CheapBodyCoder, NumbersOffTheGridAreRefused) {
  EXPECT_TRUE(decodes(kGridPositionMax, 1));
  EXPECT_TRUE(decodes(-kGridPositionMax, 1));
  EXPECT_FALSE(decodes(kGridPositionMax + 1, 1));
  EXPECT_FALSE(decodes(-kGridPositionMax - 1, 1));
  const std::int32_t middle = body_at(0, 0, 0, 0).orientation[0];
  EXPECT_TRUE(decodes(1, 511 - middle));
  EXPECT_FALSE(decodes(1, 512 - middle));
  EXPECT_TRUE(decodes(1, -middle));
  EXPECT_FALSE(decodes(1, -middle - 1));
  EXPECT_FALSE(decodes(1, 65536));
}

}  // namespace
}  // namespace orrery::codec
