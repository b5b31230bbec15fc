// Checks the datagrams between the server and each address.
#include "tests/fleet/checks/exchanges.h"

#include <numeric>
#include <string>
#include <utility>

#include "common/core/limits.h"
#include "common/net/timing.h"

namespace orrery::fleet {
namespace {

// Datagrams with which the server closes a connection: kDisconnectCopies goodbyes with the reason,
// and as many disconnect packets.
constexpr int kLastWords = 2 * net::kDisconnectCopies;

// A denial with a reason: prefix, sequence, reason and seal. One reason is followed by a place.
constexpr std::size_t kRefusalBytes = 1 + 8 + 1 + net::kSealBytes;

bool is_refusal(Bytes datagram) {
  return (datagram.size() == kRefusalBytes || datagram.size() == kRefusalBytes + 1) &&
         (datagram[0] & 0xf) == static_cast<int>(net::PacketType::denied);
}

bool is_request(const net::Datagram& datagram) {
  return !datagram.damaged && (net::decode_request(datagram.bytes) ||
                               net::decode_request(datagram.bytes, net::PacketType::move));
}

// Longest pause between messages to a client. On the slowest path the budget allows a datagram in
// every third tick. A burst overdraws the budget, and the client then waits until it has recovered.
constexpr std::uint64_t kSilentTicksMax = 30;

}  // namespace

void Exchanges::watch(const server::Server& server) {
  server_ = &server;
  handled_.reset();
  drained_ = 0;
  // A new server knows nothing about the challenges of the previous one.
  for (auto& [address, exchange] : exchanges_) {
    exchange.reached = 0;
    forget(exchange);
  }
}

// Forgets that the address was connected.
void Exchanges::forget(Exchange& exchange) {
  exchange.shown = false;
  exchange.told = 0;
}

std::uint64_t Exchanges::dropped() const {
  const auto& drops = server_->endpoint().counters().drops;
  return std::accumulate(drops.begin(), drops.end(), std::uint64_t{0});
}

// Checks a datagram that the server sends. If the address is connected, tell() checks it. Otherwise
// its bytes count: since it was last connected, an address may have received at most
// kAmplificationMax times the bytes that were sent in its name. This includes addresses without a
// token, which repeat requests of clients and are challenged too.
std::optional<Violation> Exchanges::server_sends(const net::Address& to, Bytes datagram) {
  if (handled_) ++(is_refusal(datagram) ? handled_->refused : handled_->sent);
  Exchange& exchange = at(to);
  if (connected(to)) {
    exchange.in = exchange.out = 0;
    return tell(to, exchange, datagram);
  }
  forget(exchange);
  exchange.out += datagram.size();
  const double most = limits::kAmplificationMax * static_cast<double>(exchange.in);
  if (static_cast<double>(exchange.out) <= most) return std::nullopt;
  return Violation{"answers to strangers are small",
                   std::to_string(exchange.out) + " bytes for " + std::to_string(exchange.in)};
}

// Checks the server's response to the previous datagram. The last datagram of a full receive call
// (kDatagramsPerDrain) is not checked: the server sends its periodic messages directly after it,
// and the check could not tell them from a response.
std::optional<Violation> Exchanges::server_receives(const net::Datagram& datagram) {
  const std::optional<Violation> found = judge();
  Exchange& exchange = at(datagram.from);
  const bool is_connected = connected(datagram.from);
  if (is_connected) {
    exchange.in = exchange.out = 0;
  } else {
    exchange.in += datagram.bytes.size();
    forget(exchange);
  }
  if (++drained_ < server::kDatagramsPerDrain) {
    handled_ = Handled{.from = datagram.from,
                       .damaged = datagram.damaged,
                       .asks = is_request(datagram),
                       .was_connected = is_connected,
                       .dropped_before = dropped(),
                       .replaced_before = replaced(),
                       .moves_before = moves()};
  } else {
    drained_ = 0;
  }
  return found;
}

// Checks that a client with snapshots is served regularly, whatever other clients do. Two kinds of
// clients are not checked. A follower waits for lost data as long as necessary. A client that
// connects again from its address, before the server has noticed its end, waits until its new hello
// has arrived.
std::optional<Violation> Exchanges::tell(const net::Address& to, Exchange& exchange,
                                         Bytes datagram) {
  const net::ServerPeers& peers = server_->endpoint().peers();
  if (!peers[*peers.find(to)].joined) forget(exchange);
  const int type = datagram[0] & 0xf;
  const bool says = type == static_cast<int>(net::PacketType::payload) ||
                    type == static_cast<int>(net::PacketType::piece);
  if (!says || !exchange.shown) return std::nullopt;
  const std::uint64_t tick = server_->world().tick().value;
  const std::uint64_t told = std::exchange(exchange.told, tick);
  if (told == 0 || tick - told <= kSilentTicksMax) return std::nullopt;
  return Violation{"nobody is forgotten",
                   "a client received no message for " + std::to_string(tick - told) + " ticks"};
}

std::optional<Violation> Exchanges::server_has_heard_all() {
  drained_ = 0;
  return judge();
}

std::optional<Violation> Exchanges::judge() {
  if (!handled_) return std::nullopt;
  const Handled handled = *std::exchange(handled_, std::nullopt);
  const std::uint64_t drops = dropped() - handled.dropped_before;
  if (handled.damaged && drops != 1) {
    return Violation{"damage changes nothing", "the server did not drop a damaged datagram"};
  }
  const bool is_connected = connected(handled.from);
  // A client may flood, or send invalid messages. The server drops such a datagram, closes the
  // connection, and sends the datagrams that close it.
  const int most = handled.was_connected && !is_connected ? kLastWords : 0;
  if (drops > 0 && handled.sent > most) {
    return Violation{
        "a dropped datagram gets no answer",
        std::to_string(handled.sent) + " datagrams were sent in response to a dropped one"};
  }
  if (handled.refused > (handled.asks ? 1 : 0)) {
    return Violation{"only requests are refused",
                     std::to_string(handled.refused) + " refusals answer one datagram"};
  }
  const bool connects =
      is_connected && (!handled.was_connected || replaced() != handled.replaced_before);
  if (!connects) return std::nullopt;
  if (--at(handled.from).reached < 0) {
    return Violation{"a connected client was challenged",
                     "an address connected that has not received"
                     " a challenge"};
  }
  if (moves() != handled.moves_before) return std::nullopt;
  const net::ServerPeers& peers = server_->endpoint().peers();
  if (!tokens_.insert(peers[*peers.find(handled.from)].seal).second) {
    return Violation{"tokens work once", "a token made a second connection"};
  }
  return std::nullopt;
}

}  // namespace orrery::fleet
