// Tests how bodies that come, leave and change are coded.
#include "common/codec/delta/change_coder.h"

#include <gtest/gtest.h>

#include "common/codec/delta/entropy/symbols.h"
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
    for (const DeltaLevel level : {DeltaLevel::cheap, DeltaLevel::fast}) {
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
    DeltaCodec decoder(cubes(slots), DeltaLevel::fast);
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

// Writes the start of a frame at level cheap field by field. Arrivals follow, then references.
struct Forged {
  std::uint32_t arrivals = 1;
  std::int32_t step = 0;  // from the slot after the last arrival to the slot of each arrival
  std::uint32_t generation = 0;
  std::int32_t prototype = 0;   // less that after the last one
  std::int32_t position = 100;  // less that of the last one
  std::uint32_t references = 0;
  std::uint32_t reference = 0;
};

void write_signed(BitWriter& out, std::int32_t value) { code_signed(out, value); }
void write_number(BitWriter& out, std::uint32_t value) { code_number(out, value); }

std::vector<std::uint8_t> forge(const Forged& f, std::uint32_t written) {
  std::vector<std::uint8_t> bytes;
  BitWriter out(bytes);
  out.raw(1, 1);
  write_number(out, f.arrivals);
  for (std::uint32_t i = 0; i < written; ++i) {
    write_signed(out, i == 0 ? 0 : f.step);
    out.raw(1, 1);
    write_number(out, f.generation);
    write_signed(out, i == 0 ? f.prototype : -1);
    out.raw(0, 1);  // the size is unchanged
    for (int axis = 0; axis < 3; ++axis) write_signed(out, f.position);
    out.raw(3, 2);
    for (int axis = 0; axis < 3; ++axis) out.raw(255, 9);
    out.raw(1, 1);
  }
  out.raw(f.references > 0 ? 1 : 0, 1);
  if (f.references > 0) write_number(out, f.references);
  for (std::uint32_t i = 0; i < f.references; ++i) write_number(out, f.reference);
  out.finish();
  return bytes;
}

bool decodes(const Forged& f) {
  DeltaCodec decoder(cubes(3), DeltaLevel::cheap);
  CodedFrame out;
  return decoder.decode(CodedFrame{}, Tick{1}, forge(f, std::min(f.arrivals, 3u)), out);
}

TEST(ChangeCoder, FieldsOutOfRangeAreRefused) {
  EXPECT_TRUE(decodes({}));
  EXPECT_TRUE(decodes({.arrivals = 3}));
  EXPECT_FALSE(decodes({.arrivals = 4}));
  EXPECT_FALSE(decodes({.arrivals = 2, .step = -1}));  // a slot twice
  EXPECT_FALSE(decodes({.arrivals = 2, .step = 2}));   // slot 3 of 3
  EXPECT_TRUE(decodes({.generation = limits::kGenerationsMax - 1}));
  EXPECT_FALSE(decodes({.generation = limits::kGenerationsMax}));
  EXPECT_TRUE(decodes({.prototype = 1}));
  EXPECT_FALSE(decodes({.prototype = 2}));
  EXPECT_TRUE(decodes({.position = kGridPositionMax}));
  EXPECT_TRUE(decodes({.position = -kGridPositionMax}));
  EXPECT_FALSE(decodes({.position = kGridPositionMax + 1}));
  EXPECT_FALSE(decodes({.position = -kGridPositionMax - 1}));
  EXPECT_TRUE(decodes({.references = kReferencesMax, .reference = 2}));
  EXPECT_FALSE(decodes({.references = kReferencesMax + 1}));
  EXPECT_FALSE(decodes({.references = 1, .reference = 3}));
}

TEST(ChangeCoder, BytesAfterTheFrameAreRefused) {
  DeltaCodec decoder(cubes(3), DeltaLevel::cheap);
  CodedFrame out;
  std::vector<std::uint8_t> bytes = forge({}, 1);
  EXPECT_TRUE(decoder.decode(CodedFrame{}, Tick{1}, bytes, out));
  EXPECT_FALSE(decoder.decode(CodedFrame{}, Tick{1}, Bytes(bytes).first(bytes.size() - 1), out));
  bytes.push_back(0);
  EXPECT_FALSE(decoder.decode(CodedFrame{}, Tick{1}, bytes, out));
}

}  // namespace
}  // namespace orrery::codec
