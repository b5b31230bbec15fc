// Decides where a client sends its packets: to which address of its token, and by which route.
#include "common/net/client_routes.h"

#include <algorithm>

#include "common/net/timing.h"

namespace orrery::net {
namespace {

// Returns the time of the longest try, while the client has no slot. The next server gets its turn
// in time even if the token has no timeout.
Nanoseconds try_max(const ConnectToken& token) {
  const Nanoseconds timeout = timeout_of(token);
  return timeout == 0 ? kTimeoutSeconds * kSecond : timeout;
}

}  // namespace

Nanoseconds life_of(const ConnectToken& token) {
  constexpr std::uint64_t kCentury = 3'155'760'000;
  ORRERY_ASSERT(token.created <= token.head.expires);
  return std::min(token.head.expires - token.created, kCentury) * kSecond;
}

Nanoseconds timeout_of(const ConnectToken& token) {
  return static_cast<std::uint64_t>(std::max(0, token.timeout_seconds)) * kSecond;
}

ClientRoutes::ClientRoutes(const ConnectToken& token, NetEnvironment& environment, Nanoseconds now)
    : token_(token),
      environment_(environment),
      began_(now),
      connect_until_(now + life_of(token)),
      search_(token.servers, 0, try_max(token), environment, now),
      route_(search_.route()) {}

void ClientRoutes::keep_challenge(Bytes text) {
  ORRERY_ASSERT(text.size() == challenge_.size());
  std::copy(text.begin(), text.end(), challenge_.begin());
}

bool ClientRoutes::has_tried_all(Nanoseconds now) const {
  ORRERY_ASSERT(now >= began_);
  const Nanoseconds timeout = timeout_of(token_);
  return timeout != 0 && now - began_ > search_.left() * timeout;
}

void ClientRoutes::next(Nanoseconds now) {
  ORRERY_ASSERT(!other_ && search_.left() > 0);
  search_.next(environment_, now);
  route_ = search_.route();
}

bool ClientRoutes::exclude(Nanoseconds now) {
  ORRERY_ASSERT(!other_ && search_.left() > 0);
  search_.exclude();
  if (search_.left() == 0) return false;
  began_ = now;  // the time of the address that is out must not count for the others
  next(now);
  return true;
}

void ClientRoutes::look(Link& link, std::uint32_t index, const PacketSealer& sealer, Outbox& out,
                        Nanoseconds now) {
  if (!other_) {
    const std::size_t place = token_.servers.index_of(link.address());
    ORRERY_ASSERT(place < token_.servers.size());
    other_.emplace(token_.servers, place, kReturnTryMax, environment_, now);
    begin_try(now);
  } else if (other_->is_over(now)) {
    if (link.silence(now) <= kReturnAfter) return other_.reset();  // the server did not move it
    other_->next(environment_, now);
    begin_try(now);
  }
  ORRERY_ASSERT(other_->left() > 0);
  ORRERY_ASSERT(challenged_ || !answers_);
  if (now < send_at_) return;
  send_at_ = now + kHandshakeInterval;
  environment_.use_route(other_->route());
  out.send(other_->server(), [&](std::vector<std::uint8_t>& datagram) {
    if (!answers_) return encode_request(token_, datagram, PacketType::move);
    encode_moved_head(index, datagram);
    link.seal(sealer, PacketType::response, challenge_, now, datagram);
  });
  // The challenge may be a replayed one, for another address. So the client also asks again.
  answers_ = challenged_ && !answers_;
  use();
}

void ClientRoutes::begin_try(Nanoseconds now) {
  ORRERY_ASSERT(other_);
  challenged_ = answers_ = false;
  send_at_ = now;
}

void ClientRoutes::take_challenge(Bytes text, Nanoseconds now) {
  ORRERY_ASSERT(other_);
  keep_challenge(text);
  if (!challenged_) other_->extend(now);
  challenged_ = answers_ = true;
  send_at_ = now;
}

bool ClientRoutes::take_denial(const Link& link, std::uint8_t server, Nanoseconds now) {
  ORRERY_ASSERT(other_);
  const auto servers = token_.servers.span();
  if (server >= servers.size() || servers[server] != other_->server()) return true;
  if (other_->server() == link.address()) return false;
  other_->exclude();
  if (other_->left() == 0) return false;
  other_->next(environment_, now);
  begin_try(now);
  return true;
}

void ClientRoutes::settle(Link& link, bool from_other) {
  ORRERY_ASSERT(other_ || !from_other);
  if (!other_ || (challenged_ && !from_other)) return;
  if (challenged_) {
    link.move_to(other_->server());
    route_ = other_->route();
    use();
  }
  other_.reset();
}

}  // namespace orrery::net
