// Tests reliable messages over a network with faults, and against wrong acknowledgements.
#include "common/net/channel/reliable_sender.h"

#include <algorithm>
#include <deque>
#include <string>

#include "common/core/rng.h"
#include "common/net/channel/acks.h"
#include "common/net/channel/path_estimator.h"
#include "common/net/channel/reliable_receiver.h"
#include "common/net/timing.h"
#include "gtest/gtest.h"
#include "tests/support/simulated_network.h"

namespace orrery {
namespace {

constexpr std::uint32_t kWindow = 256;
constexpr std::size_t kMessageMax = 100'000;
constexpr net::Nanoseconds kTick = net::kSecond / 60;
constexpr int kDatagramsPerTick = 16;

std::vector<std::uint8_t> random_bytes(std::size_t size, SplitMix64& random) {
  std::vector<std::uint8_t> bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
  return bytes;
}

net::SharedBytes shared(std::vector<std::uint8_t> bytes) {
  return std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
}

// One end of a connection with only reliable messages and acknowledgements.
struct End {
  End(test::SimulatedNetwork& network_in, std::uint32_t host, std::uint32_t peer)
      : network(network_in), here(test::address_of(host)), there(test::address_of(peer)) {}

  void tick() {
    net::Address from;
    while (const auto datagram = network.receive(here, from)) hear(*datagram);
    sender.update(path, network.now);
    while (sender.ready() && !waiting.empty()) {
      sender.send(waiting.front());
      waiting.pop_front();
    }
    for (int i = 0; i < kDatagramsPerTick && speak(false); ++i) ++datagrams;
    if (heard > 0 && network.now - heard_at >= net::kAckInterval) speak(true);
  }

  void hear(const std::vector<std::uint8_t>& datagram) {
    const auto payload = net::decode_payload(datagram);
    ASSERT_TRUE(payload);
    acks.receive(payload->header.sequence);
    path.acknowledged(payload->header.ack, payload->header.ack_bits, 0, network.now);
    sender.acknowledged(payload->header.ack, payload->header.ack_bits);
    receiver.receive(payload->message);
    while (const auto message = receiver.next()) {
      received.emplace_back(message->begin(), message->end());
      received_at.push_back(network.now);
    }
    ASSERT_FALSE(receiver.failed());
    if (payload->message.empty()) return;
    if (heard++ == 0) heard_at = network.now;
    if (heard >= net::kAckDatagrams) speak(true);
  }

  // Sends a datagram if fragments are due, or if `ack` asks for one. Returns true if it sent one.
  bool speak(bool ack) {
    net::PayloadHeader header{.type = net::MessageType::input, .sequence = sent + 1};
    net::Acks stamped = acks;
    stamped.stamp(header);
    std::vector<std::uint8_t> datagram;
    net::encode_payload_header(header, datagram);
    const bool due =
        sender.append_due(limits::kMessageBytesMax, header.sequence, network.now, datagram);
    if (!due && !ack) return false;
    acks = stamped;
    ++sent;
    path.sent(header.sequence, network.now);
    heard = 0;
    bytes += datagram.size();
    network.send(here, there, datagram);
    return true;
  }

  test::SimulatedNetwork& network;
  net::Address here, there;
  net::Acks acks;
  std::uint32_t sent = 0;  // sequence of the newest datagram
  net::PathEstimator path;
  net::ReliableSender sender{kWindow};
  net::ReliableReceiver receiver{kWindow, kMessageMax};
  std::deque<net::SharedBytes> waiting;
  std::vector<std::vector<std::uint8_t>> received;
  std::vector<net::Nanoseconds> received_at;
  std::uint32_t heard = 0;  // datagrams with fragments received since the last send
  net::Nanoseconds heard_at = 0;
  std::uint64_t datagrams = 0;
  std::uint64_t bytes = 0;
};

struct Pair {
  Pair(std::uint64_t seed, test::LinkFaults faults) : network(seed, faults) {}

  void tick() {
    a.tick();
    b.tick();
    network.now += kTick;
  }
  bool done() const {
    return a.waiting.empty() && a.sender.idle() && b.waiting.empty() && b.sender.idle();
  }

  test::SimulatedNetwork network;
  End a{network, 1, 2}, b{network, 2, 1};
};

// Sends messages of many sizes both ways. Each must arrive whole, once and in order.
void expect_all_to_arrive(std::uint64_t seed, test::LinkFaults faults) {
  SCOPED_TRACE("seed " + std::to_string(seed) + " loss " + std::to_string(faults.loss_percent));
  Pair pair(seed, faults);
  SplitMix64 random(seed);
  std::vector<net::SharedBytes> from_a, from_b;
  for (int i = 0; i < 40; ++i) {
    const std::size_t most = std::size_t{1} << (random.below(16) + 1);
    const std::size_t size = 1 + random.below(static_cast<std::uint32_t>(most));
    (i % 3 == 0 ? from_b : from_a).push_back(shared(random_bytes(size, random)));
  }
  pair.a.waiting.assign(from_a.begin(), from_a.end());
  pair.b.waiting.assign(from_b.begin(), from_b.end());
  int ticks = 0;
  while (!pair.done() && ticks < 60 * 60) {
    pair.tick();
    ++ticks;
  }
  ASSERT_TRUE(pair.done()) << "after " << ticks << " ticks";
  ASSERT_EQ(pair.b.received.size(), from_a.size());
  ASSERT_EQ(pair.a.received.size(), from_b.size());
  for (std::size_t i = 0; i < from_a.size(); ++i) ASSERT_EQ(pair.b.received[i], *from_a[i]) << i;
  for (std::size_t i = 0; i < from_b.size(); ++i) ASSERT_EQ(pair.a.received[i], *from_b[i]) << i;
  for (const net::SharedBytes& message : from_a) EXPECT_EQ(message.use_count(), 1);  // released
}

TEST(ReliableSender, MessagesArriveWholeOnceAndInOrder) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto percent = static_cast<std::uint32_t>(seed);
    expect_all_to_arrive(seed, {.loss_percent = 3 * percent,
                                .duplicate_percent = percent,
                                .delay_max = percent * 15 * net::kMillisecond});
  }
}

// Without loss, each fragment is sent once, in the fewest datagrams possible.
TEST(ReliableSender, NothingIsSaidTwiceWhereNothingIsLost) {
  Pair pair(1, {});
  SplitMix64 random(1);
  constexpr std::size_t kFragments = 40;
  pair.a.waiting.push_back(shared(random_bytes(kFragments * net::kFragmentBytesMax, random)));
  while (!pair.done()) pair.tick();
  EXPECT_EQ(pair.a.datagrams, kFragments);
  for (int i = 0; i < 50; ++i) pair.a.waiting.push_back(shared({1, 2, 3, 4, 5, 6, 7, 8, 9}));
  while (!pair.done()) pair.tick();
  EXPECT_EQ(pair.a.datagrams, kFragments + 1);  // fifty small messages share one
  EXPECT_EQ(pair.b.received.size(), 51u);
}

// A follower gets one message of nine bytes per tick. There is at most one datagram per tick, and
// losses cost little time.
TEST(ReliableSender, SmallMessagesKeepPaceOverABadPath) {
  Pair pair(7, {.loss_percent = 10, .duplicate_percent = 5, .delay_max = 60 * net::kMillisecond});
  const net::Nanoseconds start = pair.network.now;
  constexpr int kTicks = 3600;
  for (int tick = 0; tick < kTicks; ++tick) {
    pair.a.waiting.push_back(shared(std::vector<std::uint8_t>(9)));
    pair.tick();
  }
  EXPECT_LE(pair.a.datagrams, static_cast<std::uint64_t>(kTicks));
  EXPECT_LT(pair.a.bytes, 33u * kTicks);  // per tick: a header, a fragment of 12 bytes, and repeats
  for (int i = 0; i < 120; ++i) pair.tick();
  ASSERT_EQ(pair.b.received.size(), static_cast<std::size_t>(kTicks));
  net::Nanoseconds worst = 0;
  for (int tick = 0; tick < kTicks; ++tick) {
    const net::Nanoseconds sent_at = start + static_cast<net::Nanoseconds>(tick) * kTick;
    worst = std::max(worst, pair.b.received_at[static_cast<std::size_t>(tick)] - sent_at);
  }
  EXPECT_LT(worst, net::kSecond);
}

// A satellite link or a long queue: fragments are repeated before their acknowledgement arrives.
TEST(ReliableSender, SmallMessagesKeepPaceOverALongPath) {
  for (const net::Nanoseconds one_way : {400, 520, 650, 950, 1500}) {
    SCOPED_TRACE(one_way);
    Pair pair(9, {.delay_min = one_way * net::kMillisecond});
    constexpr int kTicks = 1800;
    for (int tick = 0; tick < kTicks; ++tick) {
      pair.a.waiting.push_back(shared(std::vector<std::uint8_t>(9)));
      pair.tick();
    }
    for (int i = 0; i < 120; ++i) pair.tick();
    EXPECT_EQ(pair.b.received.size(), static_cast<std::size_t>(kTicks));
  }
}

TEST(ReliableSender, GoesOnAfterAnInterruption) {
  Pair pair(3, {});
  SplitMix64 random(3);
  pair.a.waiting.push_back(shared(random_bytes(90'000, random)));
  pair.tick();
  for (int i = 0; i < 300; ++i) {  // nothing arrives for five seconds
    pair.a.tick();
    pair.network.now += kTick;
    net::Address from;
    while (pair.network.receive(pair.b.here, from)) {
    }
  }
  EXPECT_LT(pair.a.datagrams, 200u);  // repeats become rarer
  for (int i = 0; i < 300 && !pair.done(); ++i) pair.tick();
  EXPECT_EQ(pair.b.received.size(), 1u);
}

// --- A hostile peer ---

// Random acknowledgements, also of data that was never sent, keep the window and the measured loss
// within their bounds.
TEST(ReliableSender, AcksAtRandomBreakNothing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SplitMix64 random(seed);
    net::ReliableSender sender(kWindow);
    net::PathEstimator path;
    net::Nanoseconds now = net::kSecond;
    std::uint32_t sequence = 0;
    std::vector<std::uint8_t> out;
    for (int i = 0; i < 300; ++i, now += kTick) {
      if (sender.ready()) sender.send(shared(std::vector<std::uint8_t>(1 + random.below(20'000))));
      out.clear();
      if (sender.append_due(limits::kMessageBytesMax, ++sequence, now, out)) {
        path.sent(sequence, now);
        ASSERT_LE(out.size(), limits::kMessageBytesMax);
      }
      const bool wild = random.below(2) == 0;
      const std::uint32_t ack =
          wild ? static_cast<std::uint32_t>(random.next()) : random.below(sequence + 10);
      const auto bits = static_cast<std::uint32_t>(random.next());
      sender.acknowledged(ack, bits);
      path.acknowledged(ack, bits, 0, now);
      sender.update(path, now);
      ASSERT_LE(sender.bytes_allowed(), kWindow * (net::kFragmentBytesMax + 8)) << "seed " << seed;
      ASSERT_TRUE(path.loss() >= 0 && path.loss() <= 1) << "seed " << seed;
    }
  }
}

// A hundred clients that join late get the same image, which is in memory once.
TEST(ReliableSender, ManySendersShareAMessage) {
  SplitMix64 random(1);
  const net::SharedBytes image = shared(random_bytes(90'000, random));
  std::vector<net::ReliableSender> senders(100, net::ReliableSender(kWindow));
  for (net::ReliableSender& sender : senders) sender.send(image);
  EXPECT_GT(image.use_count(), 100);
  senders.clear();
  EXPECT_EQ(image.use_count(), 1);
}

}  // namespace
}  // namespace orrery
