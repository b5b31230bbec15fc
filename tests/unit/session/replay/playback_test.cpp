// Tests going to any tick: the state is correct, and few ticks are stepped.
#include "common/session/replay/playback.h"

#include <gtest/gtest.h>

#include "common/session/writer/log_writer.h"
#include "common/world/fault_injector.h"
#include "common/world/image/image.h"
#include "common/world/scenes/scenes.h"
#include "tests/support/lossy_log.h"
#include "tests/unit/session/replay/stated_session.h"

namespace orrery {
namespace {

constexpr std::uint64_t kTicks = 95;
constexpr std::uint64_t kStretch = 10;  // ticks between checkpoints

using Session = test::StatedSession;

Session record(std::uint64_t seed, std::uint64_t ticks_a_segment) {
  return test::record_states(
      seed == 0 ? built_in_scene("playground").value() : test::any_scene(seed), 1, kTicks,
      ticks_a_segment, seed);
}

// Goes to random ticks, and sometimes to 0. No move may take more than `most` steps.
void expect_all_found(const Session& session, std::uint64_t most) {
  Result<std::unique_ptr<session::Playback>> playback =
      session::Playback::open(session::open_log(session.log.opener()));
  ASSERT_TRUE(playback) << playback.error().text();
  SplitMix64 draw(77);
  SerialExecutor executor;
  std::vector<std::uint8_t> image;
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t tick = i % 10 == 9 ? 0 : draw.below(kTicks + 1);
    std::uint64_t steps = 0;
    const Status gone = playback.value()->go_to(Tick{tick}, executor, [&] { ++steps; });
    ASSERT_TRUE(gone) << tick << gone.error().text();
    ASSERT_LE(steps, most) << tick;
    save_image(playback.value()->world(), image);
    ASSERT_EQ(checksum(image), session.images[tick]) << tick;
  }
}

// Two playbacks share the kept states, and each starts from the nearest one.
TEST(Playback, ContinuesFromAStateThatWasKept) {
  const Session session = record(3, 1000);
  const auto kept = std::make_shared<session::KeptStates>(session::kKeptBytesMax);
  const auto open = [&](session::WayBack way) {
    return std::move(session::Playback::open(session::open_log(session.log.opener()),
                                             session::OtherRules::refused, kept, way)
                         .value());
  };
  SerialExecutor executor;
  std::vector<std::uint8_t> image;
  const auto first = open(session::WayBack::kept);
  ASSERT_TRUE(first->go_to(Tick{22}, executor));
  save_image(first->world(), image);
  EXPECT_EQ(first->place().tick, Tick{22});
  kept->add(first->place(), image);
  const std::size_t bytes = kept->bytes();
  ASSERT_TRUE(first->go_to(Tick{kTicks}, executor));
  const auto second = open(session::WayBack::forgotten);
  for (session::Playback* const playback : {second.get(), first.get()}) {
    std::uint64_t steps = 0;
    ASSERT_TRUE(playback->go_to(Tick{28}, executor, [&] { ++steps; }));
    EXPECT_EQ(steps, 6u);
    save_image(playback->world(), image);
    EXPECT_EQ(checksum(image), session.images[28]);
    EXPECT_EQ(kept->bytes() > bytes, playback == first.get());  // only one keeps its way back
  }
}

TEST(Playback, GoesToATickInParts) {
  const Session session = record(3, 1000);
  const auto playback =
      std::move(session::Playback::open(session::open_log(session.log.opener())).value());
  SerialExecutor executor;
  for (const std::uint64_t tick : {58, 49, 10}) {  // checkpoints: 50, 40, 10
    std::uint64_t parts = 0;
    for (; playback->world().tick() != Tick{tick}; ++parts) {
      ASSERT_TRUE(playback->go_to(
          Tick{tick}, executor, [] {}, 3));
    }
    EXPECT_EQ(parts, tick == 10 ? 1u : 3u) << tick;
    std::vector<std::uint8_t> image;
    save_image(playback->world(), image);
    EXPECT_EQ(checksum(image), session.images[tick]);
  }
}

TEST(Playback, GoesToAnyTickByTheNearestCheckpoint) {
  for (std::uint64_t seed = 0; seed <= 6; ++seed) {
    expect_all_found(record(seed, 1000), kStretch);
    expect_all_found(record(seed, 25), kStretch);
  }
}

TEST(Playback, WithoutAnIndexTheSegmentIsSearched) {
  Session session = record(2, 40);
  for (std::vector<std::uint8_t>& segment : session.log.segments) segment.pop_back();
  session.log.segments.resize(1);  // the others do not continue the shortened segment
  std::vector<std::uint8_t>& only = session.log.segments[0];
  const Result<std::unique_ptr<session::Playback>> playback =
      session::Playback::open(session::open_log(session.log.opener()));
  ASSERT_TRUE(playback);
  SerialExecutor executor;
  for (const std::uint64_t tick : {39u, 12u, 40u, 3u}) {
    std::uint64_t steps = 0;
    ASSERT_TRUE(playback.value()->go_to(Tick{tick}, executor, [&] { ++steps; })) << tick;
    EXPECT_LE(steps, kStretch);
  }
  EXPECT_EQ(session::find_checkpoints(session.log.opener(), session::Indexes::believed).size(), 4u);
  only.resize(only.size() / 2);
  EXPECT_LT(session::find_checkpoints(session.log.opener(), session::Indexes::believed).size(), 4u);
}

// A source that counts the bytes read.
class CountedSource final : public session::ByteSource {
 public:
  CountedSource(Bytes bytes, std::size_t& count) : source_(bytes), count_(count) {}

  std::size_t read(std::span<std::uint8_t> into) override {
    const std::size_t got = source_.read(into);
    count_ += got;
    return got;
  }
  bool seek(std::uint64_t offset) override { return source_.seek(offset); }
  std::uint64_t size() const override { return source_.size(); }

 private:
  test::MemorySource source_;
  std::size_t& count_;
};

// The search for checkpoints does not read their images, which are most of a log with many bodies.
TEST(Playback, WithoutAnIndexTheImagesArePassedOver) {
  Scene scene = built_in_scene("free:4000").value();
  scene.tick_rate = 1;
  scene.tick_time_numerator = 1;
  scene.tick_time_denominator = 60;
  World world(scene);
  SerialExecutor executor;
  test::MemorySink sink;
  session::SessionLog log(sink, session::make_log_header(world, "test", {}));
  for (int tick = 1; tick <= 100; ++tick) {
    step(world, {}, executor);
    ASSERT_TRUE(log.append_tick(world));
  }
  std::size_t read = 0;
  const session::OpenSegment open =
      [&](std::uint32_t number) -> Result<std::unique_ptr<session::ByteSource>> {
    if (number > 0) return std::unique_ptr<session::ByteSource>();
    return std::unique_ptr<session::ByteSource>(std::make_unique<CountedSource>(sink.bytes, read));
  };
  const std::vector<session::CheckpointLocation> found =
      session::find_checkpoints(open, session::Indexes::believed);
  const std::size_t unread = sink.bytes.size() - std::min(read, sink.bytes.size());
  EXPECT_GT(unread, sink.bytes.size() / 2);
  const std::vector<session::CheckpointLocation> searched =
      session::find_checkpoints(open, session::Indexes::ignored);
  ASSERT_EQ(found.size(), 10u);
  ASSERT_EQ(searched.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].place.tick, searched[i].place.tick);
    EXPECT_EQ(found[i].place.offset, searched[i].place.offset);
  }
}

// The index has a valid checksum but wrong positions. After the first wrong one, the playback
// searches for the checkpoints.
TEST(Playback, AnIndexIsNotBelieved) {
  Session session = record(3, 1000);
  std::vector<std::uint8_t>& log = session.log.segments[0];
  const std::vector<session::CheckpointLocation> found =
      session::find_checkpoints(session.log.opener(), session::Indexes::believed);
  ASSERT_EQ(found.size(), kTicks / kStretch);
  const std::size_t index_record = found.size() * 16 + 8 + 11;  // its length takes two bytes
  const std::size_t begin = log.size() - session::kEndRecordBytes - index_record;
  ASSERT_EQ(log[begin], 5);
  std::vector<session::CheckpointEntry> lies;
  for (const session::CheckpointLocation& at : found) {
    const std::uint64_t shift = at.place.tick.value % 20 == 0 ? 1 : 0;
    lies.push_back({Tick{at.place.tick.value + 1 - shift}, at.place.offset + shift});
  }
  std::vector<std::uint8_t> payload;
  session::encode_index(lies, begin, payload);
  std::copy(payload.begin(), payload.end(), log.begin() + static_cast<std::ptrdiff_t>(begin) + 3);
  const std::uint64_t seed = ByteReader(Bytes(log).subspan(begin - 8)).u64();
  const Bytes framed = Bytes(log).subspan(begin, index_record - 8);
  store_little_endian<8>(log.data() + begin + framed.size(), checksum(framed, seed));
  expect_all_found(session, kStretch);
}

// Neither segments of another session nor segments after a missing one are used.
TEST(Playback, SegmentsThatDoNotGoOnAreNotGoneTo) {
  for (const bool foreign : {true, false}) {
    Session session = record(2, 40);
    session.log.segments[1] =
        foreign ? record(1, 40).log.segments[1] : std::move(session.log.segments[2]);
    session.log.segments.pop_back();
    const Result<std::unique_ptr<session::Playback>> playback =
        session::Playback::open(session::open_log(session.log.opener()));
    ASSERT_TRUE(playback);
    SerialExecutor executor;
    EXPECT_TRUE(playback.value()->go_to(Tick{60}, executor));
    EXPECT_EQ(playback.value()->world().tick(), Tick{40});
  }
}

// The playback goes to the state after the lost ticks.
TEST(Playback, LostTicksAreLeaptOver) {
  const test::LossyLog lossy =
      test::lossy_log(built_in_scene("tumble").value(), 1, 900, test::Loss::ticks);
  const Result<std::unique_ptr<session::Playback>> playback =
      session::Playback::open(session::open_log(lossy.log.opener()));
  ASSERT_TRUE(playback);
  SerialExecutor executor;
  for (const std::uint64_t tick : {500u, 900u, 448u, 599u, 600u}) {
    ASSERT_TRUE(playback.value()->go_to(Tick{tick}, executor));
    const World& world = playback.value()->world();
    EXPECT_EQ(world.tick().value, tick > lossy.durable ? std::max<std::uint64_t>(tick, 600) : tick);
    EXPECT_EQ(world.hash(), lossy.hashes[world.tick().value]);
  }
}

// Goes to some ticks of a log in which ticks are repeated.
TEST(Playback, WhatIsThereTwiceIsOneSession) {
  const Scene scene = built_in_scene("tumble").value();
  const test::LossyLog lossy = test::lossy_log(scene, 1, 1204, test::Loss::sync);
  const Result<std::unique_ptr<session::Playback>> playback =
      session::Playback::open(session::open_log(lossy.log.opener()));
  ASSERT_TRUE(playback);
  SerialExecutor executor;
  for (const std::uint64_t tick : {1204u, 604u, 600u, 601u, 599u, 0u, 1200u}) {
    ASSERT_TRUE(playback.value()->go_to(Tick{tick}, executor)) << tick;
    EXPECT_EQ(playback.value()->world().hash(), lossy.hashes[tick]) << tick;
  }
}

TEST(Playback, GoesNoFurtherThanTheEnd) {
  const Session session = record(4, 40);
  const Result<std::unique_ptr<session::Playback>> playback =
      session::Playback::open(session::open_log(session.log.opener()));
  SerialExecutor executor;
  EXPECT_TRUE(playback.value()->go_to(Tick{~std::uint64_t{0}}, executor));
  EXPECT_EQ(playback.value()->world().tick(), Tick{kTicks});
  EXPECT_TRUE(playback.value()->go_to(Tick{50}, executor));
}

TEST(Playback, ATickThatDivergesIsNamed) {
  Session session;
  World world(test::any_scene(9));
  SerialExecutor executor;
  session::SessionLog log(session.log, session::make_log_header(world, "test", {}));
  for (int i = 1; i <= 30; ++i) {
    step(world, {}, executor);
    const std::uint64_t hash = world.hash();
    if (i == 20) FaultInjector(world).state().hash ^= 1;
    EXPECT_TRUE(log.append_tick(world));
    FaultInjector(world).state().hash = hash;
  }
  log.close();
  const Result<std::unique_ptr<session::Playback>> playback =
      session::Playback::open(session::open_log(session.log.opener()));
  EXPECT_TRUE(playback.value()->go_to(Tick{19}, executor));
  EXPECT_EQ(playback.value()->go_to(Tick{25}, executor).error().text(),
            "diverges at tick 20: replay gives another state than was recorded");
  EXPECT_TRUE(playback.value()->go_to(Tick{19}, executor));
  EXPECT_EQ(playback.value()->world().tick(), Tick{19});
}

}  // namespace
}  // namespace orrery
