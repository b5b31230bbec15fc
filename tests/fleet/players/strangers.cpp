// Simulates strangers. They have no valid token, and must not be able to affect a session.
#include "tests/fleet/players/strangers.h"

#include "common/net/packet/packet.h"
#include "tests/fleet/climate.h"

namespace orrery::fleet {
namespace {

constexpr std::size_t kHeardMax = 512;
constexpr std::uint32_t kKeptOneIn = 16;  // one in 16 datagrams is recorded
constexpr std::uint32_t kActionsMax = 4;

// Age after which a token has expired, even for a server with a clock that is kClockNearSeconds
// slow. A younger token that was never used would be valid for a stranger too.
constexpr net::Nanoseconds kTokensAreDeadAfter =
    (net::kTokenLifeSeconds + 2 + kClockNearSeconds) * net::kSecond;

bool is_request(Bytes bytes) { return !bytes.empty() && bytes[0] == 0; }
bool is_of_type(net::PacketType type, Bytes bytes) {
  return !bytes.empty() && (bytes[0] & 0xf) == static_cast<std::uint8_t>(type);
}

}  // namespace

void Strangers::keep(const net::Datagram& datagram, std::vector<Heard>& ring) {
  // The token of a move is valid while the connection lasts, and so is a challenge for a move. Only
  // an impostor repeats them.
  const bool repeatable = !is_of_type(net::PacketType::move, datagram.bytes) &&
                          !is_of_type(net::PacketType::challenge, datagram.bytes);
  if (datagram.damaged || !repeatable || ++heard_ % kKeptOneIn != 0) return;
  if (ring.size() < kHeardMax) ring.emplace_back();
  Heard& heard = ring[heard_ / kKeptOneIn % ring.size()];
  heard = {network_.now, datagram.from, datagram.to, datagram.bytes};
}

const Strangers::Heard* Strangers::any(const std::vector<Heard>& ring) {
  if (ring.empty()) return nullptr;
  const Heard& heard = ring[random_.below(static_cast<std::uint32_t>(ring.size()))];
  const bool fresh_token = is_request(heard.bytes) && network_.now - heard.at < kTokensAreDeadAfter;
  return heard.bytes.empty() || fresh_token ? nullptr : &heard;
}

void Strangers::say(const net::Address& from, Bytes bytes) {
  ++sent_;
  network_.forge_to_server(from, bytes);
}

net::Address Strangers::anywhere() {
  const std::uint32_t network = 11 + random_.below(200);
  return address_of(network << 24 | random_.below(1 << 24),
                    static_cast<std::uint16_t>(1 + random_.below(65535)));
}

void Strangers::act() {
  const std::uint32_t actions = random_.below(kActionsMax);
  for (std::uint32_t i = 0; i < actions; ++i) {
    switch (random_.below(8)) {
      case 0:
        send_junk();
        break;
      case 1:
        send_shaped_junk();
        break;
      case 2:
        if (random_.below(4) == 0) send_request();
        break;
      case 3:
      case 4:
        replay();
        break;
      case 5:
        replay_to_client();
        break;
      default:
        send_damaged_copy();
        break;
    }
  }
}

void Strangers::send_junk() {
  std::vector<std::uint8_t> bytes(random_.below(net::kPacketBytesMax + 100));
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random_.next());
  // Changes the type if it is that of a request: such bytes would be dropped for their size or
  // version only. send_request() sends requests in which both are right.
  if (is_request(bytes)) bytes[0] = 1;
  const Heard* const client = any(to_server_);
  say(client && random_.below(2) == 0 ? client->from : anywhere(), bytes);
}

// Sends a packet that is valid except for its seal.
void Strangers::send_shaped_junk() {
  constexpr std::size_t kSizes[] = {
      0, net::kChallengeTextBytes, net::kChallengeTextBytes, net::kKeepAliveBytes, 100, 0};
  const std::uint32_t type = random_.below(6);
  std::vector<std::uint8_t> bytes(2 + kSizes[type] + net::kSealBytes);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random_.next());
  bytes[0] = static_cast<std::uint8_t>(1 << 4 | (type + 1));
  const Heard* const client = any(to_server_);
  say(client ? client->from : anywhere(), bytes);
}

void Strangers::send_request() {
  net::Key key = issuer_.access().key;
  net::Address server = network_.server();
  std::uint64_t life = net::kTokenLifeSeconds;
  std::uint64_t age = 0;
  switch (random_.below(4)) {
    case 0:
      key[random_.below(32)] ^= 1;
      break;
    case 1:
      ++server.port;
      break;
    case 2:
      age = net::kTokenLifeSeconds + kClockNearSeconds;
      break;
    default:
      life = 10 * net::kTokenLifeSeconds;
      break;
  }
  std::vector<std::uint8_t> bytes;
  net::encode_request(issuer_.issue(random_.next(), Role::admin, key, server, life, age), bytes);
  say(anywhere(), bytes);
}

// Replays a datagram from its original address or from another one.
void Strangers::replay() {
  const Heard* const heard = any(to_server_);
  if (heard) say(random_.below(4) == 0 ? anywhere() : heard->from, heard->bytes);
}

void Strangers::replay_to_client() {
  const Heard* const heard = any(to_clients_);
  if (!heard) return;
  ++sent_;
  network_.forge_to_client(heard->to, heard->bytes);
}

void Strangers::send_damaged_copy() {
  const Heard* const heard = any(to_server_);
  if (!heard || heard->bytes.size() < 2 || is_request(heard->bytes)) return;
  std::vector<std::uint8_t> bytes = heard->bytes;
  const std::uint32_t bit = 8 + random_.below(static_cast<std::uint32_t>(8 * (bytes.size() - 1)));
  bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1u << bit % 8);
  say(heard->from, bytes);
}

}  // namespace orrery::fleet
