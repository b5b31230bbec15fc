// Tests long attacks: fuzzed, spoofed and replayed datagrams, and nonces over many starts. Each
// test prints a row for tests/bench.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "common/host/net/sodium_cipher.h"
#include "common/net/client_endpoint.h"
#include "common/net/server_endpoint.h"
#include "tests/support/open_cipher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/tokens.h"

namespace orrery {
namespace {

using test::access_of;
using test::address_of;
using test::token_for;

using Buffer = std::vector<std::uint8_t>;

const net::Address kServer = address_of(1, 4770);
constexpr net::Nanoseconds kTick = net::kSecond / 60;

// Prints a row that tests/bench/strangers reads.
void print_row(const char* quantity, const char* aim, std::uint64_t measured, const char* unit) {
  std::printf("| %s | %s | %llu%s | - |\n", quantity, aim,
              static_cast<unsigned long long>(measured), unit);
}

// An endpoint's environment that counts datagrams, and keeps the last one or all.
class Place final : public net::NetEnvironment {
 public:
  Place(const test::SimulatedNetwork& clock, const net::Cipher& cipher, std::uint64_t seed = 1)
      : clock_(clock), cipher_(cipher), draw_(seed) {}

  void send(const net::Address&, Bytes datagram) override {
    ++sent;
    last.assign(datagram.begin(), datagram.end());
    if (captured) captured->push_back(last);
  }
  std::uint64_t random() override { return draw_.next(); }
  std::uint64_t keyed_hash(Bytes bytes) const override { return checksum(bytes, 1); }
  const net::Cipher& cipher() const override { return cipher_; }
  std::uint64_t unix_seconds() const override { return clock_.unix_seconds(); }

  std::uint64_t sent = 0;
  Buffer last;
  std::vector<Buffer>* captured = nullptr;

 private:
  const test::SimulatedNetwork& clock_;
  const net::Cipher& cipher_;
  SplitMix64 draw_;
};

net::ServerConfig config(const net::Access& access, std::uint32_t clients_max) {
  return {.clients_max = clients_max,
          .tick_rate = 60,
          .tick_time = 1.0 / 60,
          .scene_bodies = 3,
          .scene = "test",
          .access = access};
}

// A server and a client on a network without loss.
struct Line {
  explicit Line(const net::Cipher& cipher, std::uint32_t clients_max = 16,
                std::uint64_t token_life = net::kTokenLifeSeconds)
      : here(clock, cipher), there(clock, cipher, 2) {
    access.token_life = token_life;
    server.emplace(here, config(access, clients_max), clock.now);
  }

  void connect(const net::ConnectToken& token, const net::Address& from) {
    connect(*server, token, from);
  }
  void connect(net::ServerEndpoint& to, const net::ConnectToken& token, const net::Address& from) {
    client.emplace(there, token, clock.now);
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t answers = here.sent;
      to.receive(from, Buffer(there.last), clock.now);
      if (here.sent != answers) client->receive(client->server(), Buffer(here.last), clock.now);
    }
  }

  test::SimulatedNetwork clock{1, {}};
  net::Access access = access_of(kServer);
  Place here, there;
  std::optional<net::ServerEndpoint> server;
  std::optional<net::ClientEndpoint> client;
};

// Makes an invalid datagram from a request or from a packet of a connected client.
void damage(SplitMix64& draw, const Buffer& request, const Buffer& packet, Buffer& out) {
  const std::uint32_t kind = draw.below(6);
  out = kind < 3 ? request : packet;
  const auto size = static_cast<std::uint32_t>(out.size());
  if (kind == 0) {
    out.resize(draw.below(size));
  } else if (kind == 1) {
    out.resize(size + 1 + draw.below(200), 0xaa);
  } else if (kind == 5) {
    for (auto& byte : out) byte = static_cast<std::uint8_t>(draw.next());
  } else {
    out[draw.below(size)] ^= static_cast<std::uint8_t>(1 << draw.below(8));
  }
}

// The datagrams come from strangers, an applicant and a connected client.
TEST(Strangers, SlowTenMillionDamagedDatagramsGetNoAnswer) {
  const host::SodiumCipher cipher;
  Line line(cipher);
  const net::Address client = address_of(2), applicant = address_of(3);
  line.connect(token_for(line.access, line.clock, 2), client);
  ASSERT_EQ(line.client->state(), net::ClientState::connected);
  Buffer request;
  net::encode_request(token_for(line.access, line.clock, 3), request);
  line.server->receive(applicant, request, line.clock.now);
  line.client->update(line.clock.now + net::kSecond);
  const Buffer packet = line.there.last;  // a keep-alive
  const std::uint64_t sent = line.here.sent;
  SplitMix64 draw(2026);
  Buffer bytes;
  for (std::uint32_t i = 0; i < 10'000'000; ++i) {
    if (i % 100 == 0) line.clock.now += net::kMillisecond / 1000;
    damage(draw, request, packet, bytes);
    const std::uint32_t who = draw.below(8);
    const net::Address from = who == 0   ? client
                              : who == 1 ? applicant
                                         : address_of(100 + i % 100'000);
    const net::ServerEvent event = line.server->receive(from, bytes, line.clock.now);
    ASSERT_EQ(event.kind, net::ServerEvent::Kind::nothing) << i;
  }
  const std::uint64_t answers = line.here.sent - sent;
  print_row("answers to 10 million damaged datagrams, from strangers, applicants and clients", "0",
            answers, "");
  EXPECT_EQ(answers, 0u);
  EXPECT_EQ(line.server->peers().count(), 1u);
}

// Each source sends junk, a forged request, and an intercepted request.
TEST(Strangers, SlowAMillionSpoofedSourcesTakeNoMemory) {
  const host::SodiumCipher cipher;
  Line line(cipher, limits::kClientsMax);
  Buffer seen, junk(64, 0x25);
  net::encode_request(token_for(line.access, line.clock, 3), seen);
  Buffer forged = seen;
  forged.back() ^= 1;
  const auto before = mallinfo2();
  for (std::uint32_t i = 0; i < 1'000'000; ++i) {
    for (const Buffer& bytes : {std::cref(junk), std::cref(forged), std::cref(seen)}) {
      line.server->receive(address_of(100 + i), bytes, line.clock.now);
    }
  }
  const auto after = mallinfo2();
  const auto growth = [](std::size_t was, std::size_t is) { return is - std::min(was, is); };
  const std::size_t grown =
      std::max(growth(before.uordblks + before.hblkhd, after.uordblks + after.hblkhd),
               growth(before.arena, after.arena));
  print_row(
      "growth for a million spoofed sources: junk, a forged request and an overheard one each",
      "64 KB", grown, " bytes");
  EXPECT_LE(grown, 65536u);
  // A challenge for each copy of the intercepted request. It is smaller than the copy, and needs no
  // memory.
  EXPECT_EQ(line.here.sent, 1'000'000u);
}

// Replays all packets of a connection in random order, three times: while the client is connected,
// after it left, and while another client has its address. Then replays them to a restarted server.
TEST(Strangers, NoneOfAHundredThousandDatagramsCountsTwice) {
  constexpr std::uint64_t kDay = 86'400;  // so that no token expires
  const host::SodiumCipher cipher;
  Line line(cipher, 16, kDay);
  const net::Address from = address_of(2);
  std::vector<Buffer> captured;
  line.there.captured = &captured;
  line.connect(token_for(line.access, line.clock, 2, {.life = kDay}), from);
  ASSERT_EQ(line.client->state(), net::ClientState::connected);
  ASSERT_EQ(captured.size(), 3u);  // request, response, hello
  while (captured.size() < 100'000) {
    line.clock.now += kTick;
    line.client->send(net::MessageType::input, {}, line.clock.now);
    const net::ServerEvent event = line.server->receive(from, captured.back(), line.clock.now);
    ASSERT_EQ(event.kind, net::ServerEvent::Kind::input);
  }
  SplitMix64 draw(3);
  std::uint64_t taken = 0;
  const auto drops = [&] {
    const auto counts = line.server->counters().drops;
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  // A datagram counts as taken if it causes an event, or if the server does not count it as
  // dropped. The server may answer a dropped datagram with the reason.
  const auto receive = [&](const net::Address& source, const Buffer& bytes) {
    const std::uint64_t dropped = drops();
    const net::ServerEvent event = line.server->receive(source, bytes, line.clock.now);
    taken += event.kind != net::ServerEvent::Kind::nothing || drops() == dropped;
  };
  const auto replay = [&](int times) {
    for (int round = 0; round < times; ++round) {
      for (auto i = static_cast<std::uint32_t>(captured.size()); i > 0; --i) {
        std::swap(captured[i - 1], captured[draw.below(i)]);
        receive(from, captured[i - 1]);
        if (i % 4 == 0) receive(address_of(9), captured[i - 1]);
      }
    }
  };
  replay(10);
  EXPECT_EQ(line.server->peers().count(), 1u);
  line.client->disconnect(line.clock.now);
  ASSERT_EQ(captured.size(), 100'000u + net::kDisconnectCopies);
  line.server->receive(from, captured.back(), line.clock.now);
  ASSERT_EQ(line.server->peers().count(), 0u);
  line.there.captured = nullptr;
  replay(1);
  line.connect(token_for(line.access, line.clock, 3, {.life = kDay}), from);
  replay(1);
  EXPECT_EQ(line.server->peers().count(), 1u);
  net::Access access = line.access;
  access.key_is_fresh = false;
  line.server.emplace(line.here, config(access, 16), line.clock.now);
  replay(1);
  print_row(
      "of 100,000 datagrams replayed ten times, again when their sender is gone and at the next "
      "server: taken twice",
      "0", taken, "");
  EXPECT_EQ(taken, 0u);
}

// A cipher that counts repeated pairs of key and nonce.
class CountingCipher final : public net::Cipher {
 public:
  void seal(const net::Key& key, std::uint64_t sequence, Bytes associated, Bytes text,
            std::uint8_t* out) const override {
    note(checksum(key, sequence));
    cipher_.seal(key, sequence, associated, text, out);
  }
  void seal(const net::Key& key, const net::TokenNonce& nonce, Bytes associated, Bytes text,
            std::uint8_t* out) const override {
    note(checksum(key, checksum(nonce)));
    cipher_.seal(key, nonce, associated, text, out);
  }
  bool open(const net::Key& key, std::uint64_t sequence, Bytes associated, Bytes sealed,
            std::uint8_t* out) const override {
    return cipher_.open(key, sequence, associated, sealed, out);
  }
  bool open(const net::Key& key, const net::TokenNonce& nonce, Bytes associated, Bytes sealed,
            std::uint8_t* out) const override {
    return cipher_.open(key, nonce, associated, sealed, out);
  }
  std::size_t sealed() const { return pairs_.size(); }
  std::uint64_t repeated() const { return repeated_; }

 private:
  void note(std::uint64_t pair) const { repeated_ += pairs_.insert(pair).second ? 0 : 1; }

  test::OpenCipher cipher_;
  mutable std::unordered_set<std::uint64_t> pairs_;  // hashes of the pairs
  mutable std::uint64_t repeated_ = 0;
};

net::ConnectToken token_of_two_servers(Place& back_end, const net::Access& access,
                                       const net::Address& other, std::uint64_t client_id) {
  const std::uint64_t now = back_end.unix_seconds();
  net::PrivateToken inside{.client_id = client_id, .timeout_seconds = 5};
  inside.servers = {access.address, other};
  net::TokenHead head{access.protocol_id, now + net::kTokenLifeSeconds, {}};
  for (auto& byte : inside.client_to_server) byte = static_cast<std::uint8_t>(back_end.random());
  for (auto& byte : inside.server_to_client) byte = static_cast<std::uint8_t>(back_end.random());
  for (auto& byte : head.nonce) byte = static_cast<std::uint8_t>(back_end.random());
  net::mark_created(inside, now);
  return net::make_connect_token(back_end.cipher(), access.key, head, now, inside,
                                 {access.address});
}

// A server restarts many times with one key. Clients use new tokens and tokens of the previous
// run, and sometimes connect to a second server of their token.
TEST(Strangers, NoNonceComesTwiceInTenThousandStarts) {
  const CountingCipher cipher;
  Line line(cipher);
  const net::Address other = address_of(5, 4770);
  net::Access access = line.access, access_of_other = access_of(other);
  access.key_is_fresh = false;
  net::ServerEndpoint second(line.here, config(access_of_other, 16), line.clock.now);
  std::optional<net::ConnectToken> last;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    line.clock.now += net::kSecond / 2;
    line.server.emplace(line.here, config(access, 2), line.clock.now);
    for (int again = 0; again < 2 && last; ++again, line.clock.now += net::kSecond) {
      line.connect(*last, address_of(3));
      ASSERT_NE(line.client->state(), net::ClientState::connected) << i;
    }
    line.clock.now += net::kSecond;
    last = token_of_two_servers(line.here, access, other, i + 1);
    line.connect(*last, address_of(2));
    ASSERT_EQ(line.client->state(), net::ClientState::connected) << i;
    if (i % 2 == 0) line.server->stop(line.clock.now);
    if (i % 16 != 0) continue;
    net::ConnectToken elsewhere = *last;
    elsewhere.servers = {other};
    line.connect(second, elsewhere, address_of(2));
    ASSERT_EQ(line.client->state(), net::ClientState::connected) << i;
    std::vector<net::ServerEvent> left;
    second.update(line.clock.now, left);
    second.stop(line.clock.now);
  }
  print_row("pairs of key and nonce used twice in 10,000 starts of a server", "0",
            cipher.repeated(), "");
  EXPECT_EQ(cipher.repeated(), 0u);
  EXPECT_GT(cipher.sealed(), 100'000u);
}

}  // namespace
}  // namespace orrery
