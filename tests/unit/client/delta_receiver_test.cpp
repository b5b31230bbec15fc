// Tests the receiver of frames: parts in any order, missing baselines, and hostile messages.
#include "client/lib/delta_receiver.h"

#include <gtest/gtest.h>

#include "common/codec/delta/world_frame.h"
#include "common/core/rng.h"
#include "tests/unit/codec/delta/sessions.h"

namespace orrery::client {
namespace {

// A server's side that sends frames of a scene as messages.
struct Sender {
  explicit Sender(const std::string& name) : Sender(built_in_scene(name).value()) {}
  explicit Sender(const Scene& scene)
      : world(scene), coder(codec::delta_scene_of(world.scene()), codec::DeltaLevel::fast) {}

  void set_level(codec::DeltaLevel next) {
    level = next;
    coder.set_level(next);
  }

  // Returns the welcome of a client.
  codec::message::Welcome welcome() const {
    codec::message::Welcome welcome;
    welcome.tick_time = world.tick_time();
    welcome.frames = coder.scene();
    return welcome;
  }

  // Returns the messages of the next tick.
  std::vector<std::vector<std::uint8_t>> next(const codec::CodedFrame* baseline) {
    step(world, {}, executor);
    codec::quantise(world, coder.scene().grid, frame);
    std::vector<std::uint8_t> bytes;
    sent = codec::CodedFrame{};
    coder.encode(baseline ? *baseline : codec::CodedFrame{}, frame, {}, sent, bytes);
    const std::size_t parts = codec::delta_parts(bytes.size());
    std::vector<std::vector<std::uint8_t>> messages;
    for (std::size_t i = 0; i < parts; ++i) {
      const codec::DeltaHead head{
          .tick = frame.tick,
          .baseline = baseline ? baseline->frame.tick : Tick{},
          .check = static_cast<std::uint16_t>(baseline ? baseline->checksum : 0),
          .part = static_cast<std::uint8_t>(i),
          .parts = static_cast<std::uint8_t>(parts),
          .level = level,
          .report = {}};
      const std::size_t from = i * codec::kDeltaPartBytes;
      codec::encode_delta(
          head, Bytes(bytes).subspan(from, std::min(codec::kDeltaPartBytes, bytes.size() - from)),
          messages.emplace_back());
    }
    return messages;
  }

  World world;
  SerialExecutor executor;
  codec::DeltaLevel level = codec::DeltaLevel::fast;
  codec::DeltaCodec coder;
  codec::QuantisedFrame frame;
  codec::CodedFrame sent;
};

TEST(DeltaReceiver, PartsMayComeInAnyOrder) {
  Sender sender("cubes");
  DeltaReceiver receiver(sender.welcome());
  const auto messages = sender.next(nullptr);
  ASSERT_GT(messages.size(), 3u);
  for (std::size_t i = messages.size() - 1; i > 0; --i) {
    EXPECT_EQ(receiver.take(messages[i]), nullptr);
    EXPECT_EQ(receiver.take(messages[i]), nullptr);  // a repetition
  }
  const Snapshot* const snapshot = receiver.take(messages[0]);
  ASSERT_NE(snapshot, nullptr);
  EXPECT_EQ(snapshot->tick, Tick{1});
  EXPECT_EQ(snapshot->bodies.size(), sender.world.bodies().count());
}

TEST(DeltaReceiver, PartsThatContradictTheFirstOneAreRefused) {
  Sender sender("playground");
  DeltaReceiver receiver(sender.welcome());
  const auto take = [&](std::uint8_t part, std::uint8_t parts, std::uint16_t check,
                        codec::DeltaLevel level) {
    std::vector<std::uint8_t> message;
    codec::encode_delta({.tick = Tick{9},
                         .baseline = Tick{8},
                         .check = check,
                         .part = part,
                         .parts = parts,
                         .level = level,
                         .report = {}},
                        {}, message);
    receiver.take(message);
    return receiver.counters().stale;
  };
  EXPECT_EQ(take(0, 3, 7, codec::DeltaLevel::fast), 0u);
  EXPECT_EQ(take(200, 255, 7, codec::DeltaLevel::fast), 1u);
  EXPECT_EQ(take(1, 3, 8, codec::DeltaLevel::fast), 2u);
  EXPECT_EQ(take(1, 3, 7, codec::DeltaLevel::cheap), 3u);
  EXPECT_EQ(take(1, 3, 7, codec::DeltaLevel::fast), 3u);  // control
}

TEST(DeltaReceiver, AsksForAFrameWithoutABaselineIfItLacksOne) {
  Sender sender("playground");
  DeltaReceiver receiver(sender.welcome());
  net::Nanoseconds now = net::kSecond;
  EXPECT_FALSE(receiver.next_ack(now));
  sender.next(nullptr);  // lost
  const codec::CodedFrame lost = sender.sent;
  EXPECT_EQ(receiver.take(sender.next(&lost)[0]), nullptr);
  EXPECT_EQ(receiver.counters().unknown, 1u);
  EXPECT_EQ(receiver.next_ack(now += net::kSecond), Tick{});
  EXPECT_FALSE(receiver.next_ack(now += net::kSecond));
  const Snapshot* snapshot = nullptr;
  for (const auto& message : sender.next(nullptr)) snapshot = receiver.take(message);
  ASSERT_NE(snapshot, nullptr);
  EXPECT_EQ(receiver.next_ack(now += net::kSecond), Tick{3});
}

TEST(DeltaReceiver, FramesAgainstAnotherBaselineAreNotShown) {
  Sender sender("playground");
  DeltaReceiver receiver(sender.welcome());
  for (const auto& message : sender.next(nullptr)) receiver.take(message);
  codec::CodedFrame other = sender.sent;
  ++other.checksum;  // as if the client had another frame at this tick
  EXPECT_EQ(receiver.take(sender.next(&other)[0]), nullptr);
  EXPECT_EQ(receiver.counters().unknown, 1u);
}

// Velocities are estimates, which are accurate in free flight.
TEST(DeltaReceiver, VelocitiesFollowFromDisplacements) {
  Sender sender("free:8");
  DeltaReceiver receiver(sender.welcome());
  codec::CodedFrame last;
  const Snapshot* snapshot = nullptr;
  for (int i = 0; i < 30; ++i) {
    const bool is_first = last.frame.bodies.empty();
    for (const auto& message : sender.next(is_first ? nullptr : &last)) {
      snapshot = receiver.take(message);
    }
    ASSERT_NE(snapshot, nullptr);
    last = sender.sent;
  }
  const double step = sender.coder.scene().grid.position_step;
  for (const codec::BodyState& body : snapshot->bodies) {
    const Vec3 away = body.velocity - sender.world.bodies().velocity(slot_of(body.id));
    EXPECT_LT(length(away), 2 * 60 * step);
  }
}

// Large turns too: a turn is stored as the tangent of half of its angle.
TEST(DeltaReceiver, SpinsFollowFromTurns) {
  Scene scene = built_in_scene("free:64").value();
  for (BodyDef& body : scene.bodies) body.inertia = {1, 1, 1};  // so that spins do not change
  Sender sender(scene);
  DeltaReceiver receiver(sender.welcome());
  for (const auto& message : sender.next(nullptr)) receiver.take(message);
  const codec::CodedFrame baseline = sender.sent;
  constexpr int kTicks = 60;
  std::vector<std::vector<std::uint8_t>> messages;
  for (int i = 0; i < kTicks; ++i) messages = sender.next(&baseline);
  const Snapshot* snapshot = nullptr;
  for (const auto& message : messages) snapshot = receiver.take(message);
  ASSERT_NE(snapshot, nullptr);
  int large = 0;
  for (const codec::BodyState& body : snapshot->bodies) {
    const Vec3 spin = sender.world.bodies().angular_velocity(slot_of(body.id));
    const double angle = length(spin) * kTicks / 60;
    if (angle < 1 || angle > 2.5) continue;
    ++large;
    EXPECT_LT(length(body.angular_velocity - spin), 0.05 * length(spin));
  }
  EXPECT_GT(large, 0);
}

TEST(DeltaReceiver, HostileMessagesAreCounted) {
  Sender sender("playground");
  std::uint64_t bad = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SplitMix64 random(seed);
    DeltaReceiver receiver(sender.welcome());
    auto messages = sender.next(nullptr);
    for (auto& message : messages) {
      for (int i = 0; i < 3; ++i) {
        message[random.below(static_cast<std::uint32_t>(message.size()))] ^=
            static_cast<std::uint8_t>(1 + random.below(255));
      }
      if (random.below(4) == 0) message.resize(random.below(40));
      receiver.take(message);
    }
    bad += receiver.counters().malformed + receiver.counters().unknown + receiver.counters().stale;
  }
  EXPECT_GT(bad, 100u);
}

TEST(DeltaReceiver, DecodesEachFrameAtItsLevel) {
  Sender sender("cubes");
  DeltaReceiver receiver(sender.welcome());
  codec::CodedFrame last;
  for (int i = 0; i < 30; ++i) {
    sender.set_level(static_cast<codec::DeltaLevel>(i % 2));
    const Snapshot* shown = nullptr;
    for (const auto& message : sender.next(i == 0 ? nullptr : &last)) {
      shown = receiver.take(message);
    }
    ASSERT_NE(shown, nullptr);
    const codec::Grid& grid = sender.coder.scene().grid;
    for (const codec::BodyState& body : shown->bodies) {
      ASSERT_EQ(body.position, position_of(grid, sender.frame.bodies[slot_of(body.id)]));
    }
    last = sender.sent;
  }
}

}  // namespace
}  // namespace orrery::client
