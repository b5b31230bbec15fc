// Tests a client against a server that lies: its packets have valid seals, and their contents are
// changed at random.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "common/core/rng.h"
#include "common/net/packet/packet.h"
#include "tests/unit/client/api/played_client.h"

namespace orrery::test {
namespace {

constexpr std::uint64_t kSeeds = 60;  // in a run of the test
constexpr int kTicks = 240;
constexpr std::uint32_t kValuesMax = 1024;  // of a session

// Changes the contents of sealed packets.
class Liar {
 public:
  Liar(PlayedClient& session, std::uint64_t seed) : session_(session), draw_(seed) {}

  void tamper(std::vector<std::uint8_t>& datagram) {
    if (draw_.below(8) != 0) return;
    const auto prefix = net::decode_prefix(datagram);
    if (!prefix) return;
    std::array<std::uint8_t, net::kPacketBytesMax> text;
    const auto opened = sealer_.open(session_.given.server_to_client, *prefix, datagram, text);
    if (!opened) return;
    std::vector<std::uint8_t> changed(opened->begin(), opened->end());
    if (old_.size() < 64) old_.push_back(changed);
    change(changed);
    if (prefix->type != net::PacketType::payload) changed.resize(opened->size());
    datagram.clear();
    sealer_.seal(session_.given.server_to_client, prefix->type, prefix->sequence, changed,
                 datagram);
    ++lies;
  }

  std::uint64_t lies = 0;

 private:
  // Changes the contents of a packet. For all packets but payloads, the caller restores the old
  // size.
  void change(std::vector<std::uint8_t>& text) {
    if (text.empty()) return;
    switch (draw_.below(6)) {
      case 0:  // another packet's text
        text = old_[draw_.below(static_cast<std::uint32_t>(old_.size()))];
        return;
      case 1:  // cut
        text.resize(1 + draw_.below(static_cast<std::uint32_t>(text.size())));
        return;
      case 2:  // another kind of message
        text[0] = static_cast<std::uint8_t>(draw_.below(256));
        return;
      case 3:  // a range of bytes that are 0xff or 0
        for (std::size_t i = draw_.below(static_cast<std::uint32_t>(text.size()));
             i < text.size() && draw_.below(16) != 0; ++i) {
          text[i] = draw_.below(2) == 0 ? 0xff : 0;
        }
        return;
      default:
        for (std::uint32_t flips = 1 + draw_.below(4); flips > 0; --flips) {
          text[draw_.below(static_cast<std::uint32_t>(text.size()))] ^=
              static_cast<std::uint8_t>(1u << draw_.below(8));
        }
    }
  }

  PlayedClient& session_;
  SplitMix64 draw_;
  host::SodiumCipher cipher_;
  net::PacketSealer sealer_{cipher_, net::kDefaultProtocolId};
  std::vector<std::vector<std::uint8_t>> old_;
};

// Reads all refusals, values, notices, and the answer to a ray.
void read_lists(PlayedClient& session) {
  orrery_client* const client = session.client.get();
  std::uint32_t found = 0;
  std::uint64_t tick = 0;
  std::vector<orrery_refusal> refusals(64, sized<orrery_refusal>());
  while (orrery_client_refusals(client, refusals.data(), 64, &found) == ORRERY_OK) {
    ASSERT_LE(found, 64u);
    for (std::uint32_t i = 0; i < found; ++i) ASSERT_GE(refusals[i].reason, 0);
  }
  std::vector<orrery_value> values(kValuesMax, sized<orrery_value>());
  if (orrery_client_values(client, values.data(), kValuesMax, &found) == ORRERY_OK) {
    ASSERT_LE(found, kValuesMax);
    for (std::uint32_t i = 0; i < found; ++i) {
      ASSERT_LE(values[i].key_size, sizeof values[i].key);
      ASSERT_LE(values[i].bytes_size, sizeof values[i].bytes);
    }
  }
  std::vector<orrery_notice> notices(64, sized<orrery_notice>());
  while (orrery_client_notices(client, notices.data(), 64, &found) == ORRERY_OK) {
    ASSERT_LE(found, 64u);
    for (std::uint32_t i = 0; i < found; ++i) {
      ASSERT_LE(notices[i].bytes_size, sizeof notices[i].bytes);
    }
  }
  auto ray = sized<orrery_ray>();
  ray.along[1] = -9;
  std::uint32_t number = 0;
  const bool may_ask = session.world.tick().value % 4 == 0;  // the server ends floods of rays
  if (may_ask) orrery_client_cast_ray(client, &ray, session.now(), &number);
  auto hit = sized<orrery_hit>();
  while (orrery_client_hit(client, &hit, &number, &tick) == ORRERY_OK) {
    ASSERT_TRUE(std::isfinite(hit.fraction));
  }
}

// Reads all that a caller can read. Positions are finite, and orientations have length one.
void read_all(PlayedClient& session, std::int32_t mode) {
  const std::uint32_t count = session.frame(mode);
  ASSERT_TRUE(std::isfinite(session.shown.tick));
  std::vector<double> rows(count * 7);
  ASSERT_EQ(
      orrery_client_read(session.client.get(), ORRERY_POSITION | ORRERY_ORIENTATION | ORRERY_DOUBLE,
                         rows.data(), 7 * sizeof(double), count),
      ORRERY_OK);
  for (std::uint32_t i = 0; i < count; ++i) {
    const double* const row = &rows[i * 7];
    for (int k = 0; k < 7; ++k) ASSERT_TRUE(std::isfinite(row[k]));
    const double square = row[3] * row[3] + row[4] * row[4] + row[5] * row[5] + row[6] * row[6];
    ASSERT_NEAR(square, 1, 1e-6);
  }
  orrery_world* world = nullptr;
  if (orrery_client_scene(session.client.get(), &world) == ORRERY_OK) {
    EXPECT_EQ(info_of(world).tick, 0u);
  }
  if (orrery_client_world(session.client.get(), &world) == ORRERY_OK) info_of(world);
  std::vector<orrery_event> events(256, sized<orrery_event>());
  std::uint32_t found = 0;
  std::uint64_t tick = 0;
  while (orrery_client_events(session.client.get(), events.data(), 256, &found, &tick) ==
         ORRERY_OK) {
    for (std::uint32_t i = 0; i < found; ++i) ASSERT_TRUE(std::isfinite(events[i].speed));
  }
  read_lists(session);
}

// With --gtest_shuffle each repetition has other seeds.
TEST(LyingServer, NeverCrashesAClientOrShowsBodiesNowhere) {
  std::uint64_t lies = 0;
  std::uint64_t shown = 0;
  const auto first =
      kSeeds * static_cast<std::uint64_t>(testing::UnitTest::GetInstance()->random_seed()) + 1;
  std::cout << "seeds " << first << " to " << first + kSeeds - 1 << std::endl;
  for (std::uint64_t seed = first; seed < first + kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    auto options = sized<orrery_client_options>();
    options.follow = seed % 3 == 0;
    options.events = seed % 3 == 1;
    options.plain = seed % 2 == 0;
    PlayedClient session(seed % 2 == 0 ? "playground" : "boxes:8", options);
    Liar liar(session, seed);
    session.tamper = [&](std::vector<std::uint8_t>& datagram) { liar.tamper(datagram); };
    for (int i = 0; i < kTicks && !HasFatalFailure(); ++i) {
      session.run(1);
      read_all(session, static_cast<std::int32_t>(seed % 4));
      shown += session.shown.bodies;
    }
    lies += liar.lies;
    if (HasFatalFailure()) return;
  }
  std::cout << lies << " packets altered" << std::endl;
  EXPECT_GT(lies, kSeeds * 20);
  EXPECT_GT(shown, kSeeds * 100);
}

}  // namespace
}  // namespace orrery::test
