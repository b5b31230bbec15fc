// Owns what a server owes to those who send to it.
#include "tests/fleet/checks/exchanges.h"

#include <numeric>
#include <string>
#include <utility>

#include "common/core/limits.h"
#include "common/net/timing.h"

namespace orrery::fleet {
namespace {

// A connection that ends is told so, with a reason and without.
constexpr int kLastWords = 2 * net::kDisconnectCopies;

// The least that a path is given is a datagram in every third tick; but who has just been sent far
// more pays that back first.
constexpr std::uint64_t kSilentTicksMax = 30;

}  // namespace

void Exchanges::watch(const server::Server& server) {
  server_ = &server;
  handled_.reset();
  drained_ = 0;
  // It knows nothing of the challenges of the one before.
  for (auto& [address, exchange] : exchanges_) {
    exchange.reached = 0;
    forget(exchange);
  }
}

// That it was connected.
void Exchanges::forget(Exchange& exchange) {
  exchange.shown = false;
  exchange.told = 0;
}

std::uint64_t Exchanges::dropped() const {
  const auto& drops = server_->endpoint().counters().drops;
  return std::accumulate(drops.begin(), drops.end(), std::uint64_t{0});
}

// Who is not connected is sent less than a third of what came in its name since it was last, and
// who never had a token nothing.
std::optional<Violation> Exchanges::server_sends(const net::Address& to, Bytes datagram) {
  if (handled_) ++handled_->sent;
  Exchange& exchange = at(to);
  if (connected(to)) {
    exchange.in = exchange.out = 0;
    return tell(exchange, datagram);
  }
  forget(exchange);
  exchange.out += datagram.size();
  const bool has_token = to.ip[12] == kOwnNetwork >> 24;
  const double most = limits::kAmplificationMax * static_cast<double>(exchange.in);
  if (has_token && static_cast<double>(exchange.out) <= most) return std::nullopt;
  return Violation{"answers to strangers are small",
                   std::to_string(exchange.out) + " bytes for " + std::to_string(exchange.in) +
                       (has_token ? "" : ", to an address that never had a token")};
}

// Of the last that one call takes it cannot be told what was sent for it: what the server says by
// itself follows at once.
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
    handled_ = Handled{datagram.from, datagram.damaged, is_connected, dropped(), 0};
  } else {
    drained_ = 0;
  }
  return found;
}

// Whoever is sent snapshots has its share, whatever the others do. Who follows waits for what is
// lost, however long that takes.
std::optional<Violation> Exchanges::tell(Exchange& exchange, Bytes datagram) {
  const bool says_nothing = (datagram[0] & 0xf) != static_cast<int>(net::PacketType::payload);
  if (says_nothing || !exchange.shown) return std::nullopt;
  const std::uint64_t tick = server_->world().tick.value;
  const std::uint64_t told = std::exchange(exchange.told, tick);
  if (told == 0 || tick - told <= kSilentTicksMax) return std::nullopt;
  return Violation{"nobody is forgotten",
                   "a client was told nothing for " + std::to_string(tick - told) + " ticks"};
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
  // Who floods, or says what no client would, is dropped with all that it has.
  const int most = handled.was_connected && !is_connected ? kLastWords : 0;
  if (drops > 0 && handled.sent > most) {
    return Violation{"what is dropped is not answered",
                     std::to_string(handled.sent) + " datagrams were sent for one"};
  }
  if (is_connected && !handled.was_connected && --at(handled.from).reached < 0) {
    return Violation{"who connects was challenged",
                     "an address that has taken no challenge has"
                     " a connection"};
  }
  return std::nullopt;
}

}  // namespace orrery::fleet
