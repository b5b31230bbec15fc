// Owns what a cookie is made of.
#include "common/net/cookie.h"

#include <algorithm>
#include <array>

#include "common/net/timing.h"

namespace orrery {
namespace {

message::Cookie cookie_of_slot(NetEnvironment& environment, const Address& address,
                               std::uint64_t nonce, std::uint64_t slot) {
  std::array<std::uint8_t, 16 + 2 + 8 + 8> bytes;
  auto at = std::copy(address.ip.begin(), address.ip.end(), bytes.begin());
  const auto put = [&at](std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) *at++ = static_cast<std::uint8_t>(value >> 8 * i);
  };
  put(address.port, 2);
  put(nonce, 8);
  put(slot, 8);
  ORRERY_ASSERT(at == bytes.end());
  return environment.keyed_hash(bytes);
}

// Without a branch on what is equal.
bool equal(const message::Cookie& a, const message::Cookie& b) {
  return ((a.low ^ b.low) | (a.high ^ b.high)) == 0;
}

}  // namespace

message::Cookie make_cookie(NetEnvironment& environment, const Address& address,
                            std::uint64_t nonce, Nanoseconds now) {
  return cookie_of_slot(environment, address, nonce, now / kCookieSlot);
}

bool is_cookie(NetEnvironment& environment, const message::Cookie& cookie, const Address& address,
               std::uint64_t nonce, Nanoseconds now) {
  const std::uint64_t slot = now / kCookieSlot;
  const bool current = equal(cookie, cookie_of_slot(environment, address, nonce, slot));
  const bool previous = equal(cookie, cookie_of_slot(environment, address, nonce, slot - 1));
  return static_cast<int>(current) + static_cast<int>(previous) > 0;
}

}  // namespace orrery
