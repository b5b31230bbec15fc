// Tests that no key seals two packets with one nonce, whatever the clock of a server does.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/unit/net/endpoint_pair.h"

namespace orrery {
namespace {

using test::address_of;
using test::kServerAddress;
using test::Port;

// A cipher that records the nonces of all packets that it seals.
class RecordingCipher final : public net::Cipher {
 public:
  void seal(const net::Key& key, std::uint64_t sequence, Bytes associated, Bytes text,
            std::uint8_t* out) const override {
    ++sealed;
    repeated += used_.emplace(key, sequence).second ? 0u : 1u;
    cipher_.seal(key, sequence, associated, text, out);
  }
  void seal(const net::Key& key, const net::TokenNonce& nonce, Bytes associated, Bytes text,
            std::uint8_t* out) const override {
    cipher_.seal(key, nonce, associated, text, out);
  }
  bool open(const net::Key& key, std::uint64_t sequence, Bytes associated, Bytes sealed_text,
            std::uint8_t* out) const override {
    return cipher_.open(key, sequence, associated, sealed_text, out);
  }
  bool open(const net::Key& key, const net::TokenNonce& nonce, Bytes associated, Bytes sealed_text,
            std::uint8_t* out) const override {
    return cipher_.open(key, nonce, associated, sealed_text, out);
  }

  mutable std::uint64_t sealed = 0;
  mutable std::uint64_t repeated = 0;

 private:
  host::SodiumCipher cipher_;
  mutable std::set<std::pair<std::array<std::uint8_t, net::kKeyBytes>, std::uint64_t>> used_;
};

// A port with its own clock and the recording cipher.
class WatchedPort final : public net::NetEnvironment {
 public:
  WatchedPort(Port& port, const RecordingCipher& cipher) : port_(port), cipher_(cipher) {}
  void send(const net::Address& to, Bytes datagram) override { port_.send(to, datagram); }
  std::uint64_t random() override { return port_.random(); }
  std::uint64_t keyed_hash(Bytes bytes) const override { return port_.keyed_hash(bytes); }
  const net::Cipher& cipher() const override { return cipher_; }
  std::uint64_t unix_seconds() const override {
    return port_.unix_seconds() + static_cast<std::uint64_t>(off);
  }

  std::int64_t off = 0;  // seconds by which the clock is wrong

 private:
  Port& port_;
  const RecordingCipher& cipher_;
};

// A server that restarts with the same key, and a client that keeps its token.
struct Restarting {
  explicit Restarting(std::uint64_t seed, bool keeps_newest = true)
      : network(seed, {}), keeps(keeps_newest) {
    access.key_is_fresh = false;
    access.token_life = 600;
  }

  void start() {
    if (server && keeps) access.newest_token = server->gate().newest_token();
    net::ServerConfig config = test::config();
    config.access = access;
    server.emplace(environment, config, network.now);
  }
  // Lets the client try its token for a time. Returns true if it was connected.
  bool connect(const net::ConnectToken& token, net::Nanoseconds time = net::kSecond) {
    Port port(network, address_of(2));
    net::ClientEndpoint client(port, token, network.now);
    bool connected = false;
    for (const net::Nanoseconds end = network.now + time; network.now < end;) {
      network.now += test::kStep;
      net::drain(server_port, [&](const net::Address& from, Bytes datagram) {
        server->receive(from, datagram, network.now);
      });
      std::vector<net::ServerEvent> left;
      server->update(network.now, left);
      net::drain(port, [&](const net::Address& from, Bytes datagram) {
        client.receive(from, datagram, network.now);
      });
      client.update(network.now);
      connected = connected || client.state() == net::ClientState::connected;
    }
    return connected;
  }

  test::SimulatedNetwork network;
  const bool keeps;
  Port server_port{network, kServerAddress};
  RecordingCipher cipher;
  WatchedPort environment{server_port, cipher};
  net::Access access = test::access_of(kServerAddress);
  std::optional<net::ServerEndpoint> server;
};

// The clock is 300 s late at a restart, and is corrected later. The token of the first run is
// refused throughout.
TEST(Clock, ATokenWorksOnceIfTheClockIsBehindAtARestart) {
  Restarting it(1);
  it.start();
  it.network.now += 2 * net::kSecond;
  const net::ConnectToken token = test::token_for(it.access, it.network, 2, {.life = 500});
  ASSERT_TRUE(it.connect(token));
  it.environment.off = -300;
  it.start();
  EXPECT_FALSE(it.connect(token));
  it.environment.off = 0;
  it.network.now += net::kSecond;
  EXPECT_FALSE(it.connect(token));
  EXPECT_EQ(it.cipher.repeated, 0u);
  EXPECT_TRUE(it.connect(test::token_for(it.access, it.network, 2)));
}

// The time of the newest token was lost, so the token of the first run is accepted again. Its keys
// still seal no two packets with one nonce.
TEST(Clock, NoNonceRepeatsEvenIfATokenWorksTwice) {
  Restarting it(1, false);
  it.start();
  it.network.now += 2 * net::kSecond;
  const net::ConnectToken token = test::token_for(it.access, it.network, 2, {.life = 500});
  ASSERT_TRUE(it.connect(token));
  it.environment.off = -300;
  it.start();
  it.connect(token);
  it.environment.off = 0;
  EXPECT_TRUE(it.connect(token));
  EXPECT_GT(it.cipher.sealed, 30u);
  EXPECT_EQ(it.cipher.repeated, 0u);
}

// The clock jumps back and forward at random, and the server restarts at random. No nonce repeats,
// and while the server knows the newest token, no token works twice.
TEST(Clock, JumpsRepeatNoNonce) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Restarting it(seed, seed % 2 == 0);
    it.start();
    SplitMix64 random(seed);
    std::vector<net::ConnectToken> tokens;
    std::map<std::size_t, int> times;
    for (int step = 0; step < 60; ++step) {
      switch (random.below(5)) {
        case 0:
          it.environment.off = static_cast<std::int64_t>(random.below(600)) - 400;
          break;
        case 1:
          it.start();
          break;
        case 2:
          it.network.now += random.below(30) * net::kSecond;
          break;
        default: {
          if (tokens.empty() || random.below(3) == 0) {
            ++it.network.now;  // makes every token different
            tokens.push_back(test::token_for(it.access, it.network, 2, {.life = 500}));
          }
          const std::size_t tried = random.below(static_cast<std::uint32_t>(tokens.size()));
          times[tried] += it.connect(tokens[tried], 300 * net::kMillisecond) ? 1 : 0;
        }
      }
    }
    EXPECT_EQ(it.cipher.repeated, 0u);
    if (!it.keeps) continue;
    for (const auto& [token, count] : times) EXPECT_LE(count, 1) << "token " << token;
  }
}

}  // namespace
}  // namespace orrery
