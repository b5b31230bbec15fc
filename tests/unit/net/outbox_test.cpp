// Tests how packets are gathered into trains, each of which leaves in one call.
#include "common/net/outbox.h"

#include <array>
#include <vector>

#include "common/core/limits.h"
#include "common/host/net/sodium_cipher.h"
#include "gtest/gtest.h"
#include "tests/support/simulated_network.h"

namespace orrery {
namespace {

constexpr net::Nanoseconds kNow = net::kSecond;

// An environment that records the sizes of sent trains.
class Wire final : public net::NetEnvironment {
 public:
  struct Train {
    net::Address to;
    std::size_t bytes = 0;
    std::size_t size = 0;
  };

  void send(const net::Address& to, Bytes datagram) override {
    trains.push_back({to, datagram.size(), datagram.size()});
  }
  void send_train(const net::Address& to, Bytes datagrams, std::size_t size) override {
    trains.push_back({to, datagrams.size(), size});
  }
  std::uint64_t random() override { return 0; }
  std::uint64_t keyed_hash(Bytes) const override { return 0; }
  const net::Cipher& cipher() const override { return cipher_; }
  std::uint64_t unix_seconds() const override { return 0; }

  std::vector<Train> trains;

 private:
  host::SodiumCipher cipher_;
};

struct Sending {
  explicit Sending(std::size_t datagrams_max = limits::kBatchDatagramsMax)
      : out(wire, sealer, datagrams_max) {}

  std::size_t append(std::size_t bytes) {
    return out.append(link, net::MessageType::snapshot, std::vector<std::uint8_t>(bytes), kNow);
  }

  Wire wire;
  net::PacketSealer sealer{wire.cipher(), net::kDefaultProtocolId};
  net::Outbox out;
  net::Link link{test::address_of(5), {}, net::PacketSequences(1000), kNow};
};

TEST(Outbox, SendsATrainOfEqualDatagramsInOneCall) {
  Sending sending;
  const std::size_t size = sending.append(100);
  EXPECT_EQ(sending.append(100), size);
  const std::size_t shorter = sending.append(40);
  EXPECT_LT(shorter, size);
  EXPECT_TRUE(sending.wire.trains.empty());
  sending.out.flush();
  ASSERT_EQ(sending.wire.trains.size(), 1u);
  EXPECT_EQ(sending.wire.trains[0].to, test::address_of(5));
  EXPECT_EQ(sending.wire.trains[0].bytes, 2 * size + shorter);
  EXPECT_EQ(sending.wire.trains[0].size, size);
  EXPECT_EQ(sending.out.datagrams_sent(), 3u);
  EXPECT_EQ(sending.out.bytes_sent(), 2 * size + shorter);
  EXPECT_EQ(sending.link.bytes_sent(), 2 * size + shorter);
}

// In a train, all datagrams have the same size; only the last may be shorter.
TEST(Outbox, StartsANewTrainForAPacketThatDoesNotFit) {
  Sending longer;
  longer.append(100);
  longer.append(101);
  EXPECT_EQ(longer.wire.trains.size(), 1u);
  Sending after_short;
  after_short.append(100);
  after_short.append(40);
  EXPECT_TRUE(after_short.wire.trains.empty());
  after_short.append(40);
  EXPECT_EQ(after_short.wire.trains.size(), 1u);
  Sending full(2);
  for (int i = 0; i < 3; ++i) full.append(100);
  EXPECT_EQ(full.wire.trains.size(), 1u);
}

TEST(Outbox, SendsNothingTwice) {
  Sending sending;
  sending.out.flush();
  EXPECT_TRUE(sending.wire.trains.empty());
  sending.append(10);
  sending.out.flush();
  sending.out.flush();
  EXPECT_EQ(sending.wire.trains.size(), 1u);
}

TEST(Outbox, SendsDatagramsThatBelongToNoLink) {
  Sending sending;
  sending.out.send(test::address_of(7), [](auto& datagram) { datagram.assign(30, 1); });
  ASSERT_EQ(sending.wire.trains.size(), 1u);
  EXPECT_EQ(sending.wire.trains[0].to, test::address_of(7));
  EXPECT_EQ(sending.wire.trains[0].bytes, 30u);
  EXPECT_EQ(sending.out.datagrams_sent(), 1u);
}

}  // namespace
}  // namespace orrery
