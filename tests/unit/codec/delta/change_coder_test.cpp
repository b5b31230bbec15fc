// Tests how bodies that come, leave and change are coded.
#include "common/codec/delta/change_coder.h"

#include <gtest/gtest.h>

#include "tests/unit/codec/delta/sessions.h"

namespace orrery::codec {
namespace {

QuantisedFrame random_frame(std::uint64_t tick, const QuantisedFrame& last, SplitMix64& random) {
  QuantisedFrame frame{Tick{tick}, last.bodies};
  for (std::uint32_t slot = 0; slot < frame.bodies.size(); ++slot) {
    QuantisedBody& body = frame.bodies[slot];
    switch (random.below(12)) {
      case 0:  // removed
        body = {};
        break;
      case 1: {  // another body in the slot
        const auto any = [&] {
          return static_cast<std::int32_t>(random.below(1u << 31)) - kGridPositionMax;
        };
        const std::int32_t x = any(), y = any();
        body = body_at(slot, x, y, any());
        body.id = make_body_id(slot, random.below(limits::kGenerationsMax));
        body.prototype = random.below(2);
        break;
      }
      case 2:  // moved to anywhere
        if (body.present)
          body.position[random.below(3)] = random.below(2) ? kGridPositionMax : -kGridPositionMax;
        break;
      case 3:  // turned to anything
        if (!body.present) break;
        body.largest = static_cast<std::uint8_t>(random.below(4));
        body.orientation[random.below(3)] = static_cast<std::uint16_t>(random.below(512));
        break;
      case 4:
        if (body.present) body.active = !body.active;
        break;
      case 5:
        if (body.present) ++body.position[0];
        break;
      default:
        break;
    }
    if (body.present && body.position[0] > kGridPositionMax) body.position[0] = 0;
  }
  return frame;
}

TEST(ChangeCoder, AnyChangesComeBack) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SplitMix64 random(seed);
    const std::uint32_t slots = 1 + random.below(200);
    for (const DeltaLevel level : {DeltaLevel::cheap, DeltaLevel::fast, DeltaLevel::full}) {
      Pair pair(cubes(slots), level);
      QuantisedFrame frame{Tick{0}, std::vector<QuantisedBody>(slots)};
      for (std::uint64_t tick = 1; tick <= 30; ++tick) {
        frame = random_frame(3 * tick, frame, random);
        const std::uint32_t references[] = {random.below(slots), random.below(slots)};
        ASSERT_GE(pair.send(frame, references), 0) << "seed " << seed << " tick " << tick;
      }
    }
  }
}

// If a body that stays could also be coded as arriving, one change could be coded twice, and the
// checksum of the bodies would be wrong.
TEST(ChangeCoder, ABodyThatStaysDoesNotArrive) {
  int refused = 0;
  for (std::uint32_t slots = 1; slots <= 40; ++slots) {
    Pair pair(cubes(slots));
    QuantisedFrame frame{Tick{1}, {}};
    for (std::uint32_t i = 0; i < slots; ++i) frame.bodies.push_back(body_at(i, 9, 0, 0));
    ASSERT_GE(pair.send(frame), 0);
    DeltaCodec decoder(cubes(slots), DeltaLevel::full);
    CodedFrame out;
    refused += decoder.decode(pair.received, Tick{2}, pair.bytes, out) ? 0 : 1;
  }
  EXPECT_EQ(refused, 40);
}

TEST(ChangeCoder, ReferencesAreCodedOnceUntilTheyChange) {
  Pair pair(cubes(100));
  QuantisedFrame frame{Tick{1}, {}};
  for (std::uint32_t i = 0; i < 100; ++i) frame.bodies.push_back(body_at(i, 0, 0, 0));
  std::vector<std::uint32_t> many(200);
  for (std::uint32_t i = 0; i < many.size(); ++i) many[i] = i / 2;
  ASSERT_GE(pair.send(frame, many), 0);
  EXPECT_LE(pair.received.references.size(), kReferencesMax);
  frame.tick = Tick{2};
  const int same = pair.send(frame, many);
  EXPECT_LE(same, 2);
  EXPECT_EQ(pair.received.references, pair.sent.references);
  frame.tick = Tick{3};
  EXPECT_GT(pair.send(frame, std::vector<std::uint32_t>{7}), same);
}

}  // namespace
}  // namespace orrery::codec
