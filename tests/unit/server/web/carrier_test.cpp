// Tests clients over a WebSocket: a full path gets no snapshots until it is clear, and a client
// whose path closes leaves.
#include <deque>
#include <vector>

#include "client/lib/connection.h"
#include "common/net/packet/plain_cipher.h"
#include "gtest/gtest.h"
#include "tests/support/served_session.h"

namespace orrery {
namespace {

// The network of a server. Everything from `page` arrives over a WebSocket, whose path can be full
// or closed.
class MixedPort final : public net::NetEnvironment, public net::DatagramSource {
 public:
  MixedPort(test::Port& port, const net::Address& page) : port_(port), page_(page) {}

  void send(const net::Address& to, Bytes datagram) override {
    net::Address plain = to;
    plain.carrier = net::Carrier::udp;
    port_.send(plain, datagram);
  }
  void flush() override { port_.flush(); }
  bool is_clear(const net::Address& to) const override {
    return clear || to.carrier == net::Carrier::udp;
  }
  std::optional<std::size_t> receive(net::Address& from, std::span<std::uint8_t> into) override {
    const auto size = port_.receive(from, into);
    if (size && from == page_) from.carrier = net::Carrier::websocket;
    return size;
  }
  std::optional<net::ClosedAddress> next_closed() override {
    if (closed.empty()) return std::nullopt;
    const net::ClosedAddress first = closed.front();
    closed.pop_front();
    return first;
  }
  std::uint64_t random() override { return port_.random(); }
  std::uint64_t keyed_hash(Bytes bytes) const override { return port_.keyed_hash(bytes); }
  const net::Cipher& cipher() const override { return port_.cipher(); }
  std::uint64_t unix_seconds() const override { return port_.unix_seconds(); }

  net::Address page() const {
    net::Address page = page_;
    page.carrier = net::Carrier::websocket;
    return page;
  }

  bool clear = true;
  std::deque<net::ClosedAddress> closed;

 private:
  test::Port& port_;
  const net::Address page_;
};

// The environment of a client in a page.
class PagePort final : public net::NetEnvironment {
 public:
  explicit PagePort(test::Port& port) : port_(port) {}

  void send(const net::Address& to, Bytes datagram) override { port_.send(to, datagram); }
  std::uint64_t random() override { return port_.random(); }
  std::uint64_t keyed_hash(Bytes bytes) const override { return port_.keyed_hash(bytes); }
  const net::Cipher& cipher() const override { return cipher_; }
  std::uint64_t unix_seconds() const override { return port_.unix_seconds(); }

 private:
  test::Port& port_;
  const net::PlainCipher cipher_;
};

// A server with a client in a page, and another over UDP.
struct Session {
  Session() {
    spdlog::set_level(spdlog::level::off);
    run(30);
  }

  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      network.now += net::kSecond / world.scene().tick_rate;
      server.tick(network.now);
      take(page, page_port, page_ticks);
      take(other, other_port, other_ticks);
    }
  }

  // Delivers the datagrams of a client, and appends the ticks of complete snapshots.
  void take(client::Connection& client, test::Port& at, std::vector<std::uint64_t>& ticks) {
    net::drain(at, [&](const net::Address& from, Bytes datagram) {
      const auto* const snapshot = client.receive(from, datagram, network.now);
      if (snapshot) ticks.push_back(snapshot->tick.value);
    });
    client.update(network.now);
  }

  std::uint64_t tick() const { return world.tick().value; }

  test::SimulatedNetwork network{1, {}};
  test::Port port{network, test::address_of(1, 4770)};
  net::Access access = test::access_of(port.address());
  MixedPort mixed{port, test::address_of(10)};
  World world{built_in_scene("tumble").value()};
  test::MemorySink sink;
  session::SessionLog log{sink, session::make_log_header(world, "test", codec::SessionId{})};
  SerialExecutor executor;
  server::OperatorLog operator_log;
  server::Server server{world, log, {mixed, mixed, executor, operator_log}, access, network.now};
  test::Port page_port{network, test::address_of(10)};
  PagePort page_environment{page_port};
  client::Connection page{page_environment, test::token_for(access, network, 10, {}), network.now,
                          false};
  test::Port other_port{network, test::address_of(11)};
  client::Connection other{other_port, test::token_for(access, network, 11, {}), network.now,
                           false};
  std::vector<std::uint64_t> page_ticks;
  std::vector<std::uint64_t> other_ticks;
};

TEST(Carrier, ClientsOfBothCarriersJoinOneSession) {
  Session session;
  EXPECT_TRUE(session.page.connected() && session.other.connected());
  EXPECT_EQ(session.page_ticks.back(), session.tick());
  EXPECT_EQ(session.other_ticks.back(), session.tick());
  EXPECT_EQ(session.server.endpoint().peers().count(), 2u);
}

TEST(Carrier, AFullPathGetsNoSnapshotAndThenTheNewest) {
  Session session;
  session.page_ticks.clear();
  session.other_ticks.clear();
  session.mixed.clear = false;
  session.run(60);
  EXPECT_TRUE(session.page_ticks.empty());
  EXPECT_EQ(session.other_ticks.size(), 60u);  // the others do not notice
  session.mixed.clear = true;
  session.run(3);
  ASSERT_EQ(session.page_ticks.size(), 3u);
  EXPECT_EQ(session.page_ticks.front(), session.tick() - 2);
  EXPECT_TRUE(session.page.connected());
}

TEST(Carrier, AClosedPathFreesTheSlotOfItsClient) {
  Session session;
  session.mixed.closed.push_back({session.mixed.page(), false});
  session.run(1);
  EXPECT_EQ(session.server.endpoint().peers().count(), 1u);
  EXPECT_FALSE(session.server.endpoint().peers().find(session.mixed.page()));
  session.run(2);
  EXPECT_EQ(session.world.controls().clients.size(), 1u);
}

TEST(Carrier, AnAddressWithoutAClientMayClose) {
  Session session;
  session.mixed.closed.push_back({test::address_of(99), true});
  net::Address udp = session.mixed.page();
  udp.carrier = net::Carrier::udp;  // another path than the client in the page has
  session.mixed.closed.push_back({udp, true});
  session.run(1);
  EXPECT_EQ(session.server.endpoint().peers().count(), 2u);
}

}  // namespace
}  // namespace orrery
