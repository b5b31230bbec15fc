// Defines network addresses and a short list of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "common/core/assert.h"

namespace orrery::net {

// First 12 bytes of an IPv6 address that maps an IPv4 address (RFC 4291, section 2.5.5.2).
inline constexpr std::array<std::uint8_t, 12> kMappedIpv4 = {0, 0, 0, 0, 0,    0,
                                                             0, 0, 0, 0, 0xff, 0xff};

// The protocol that carries packets. A message of a WebSocket is one packet (schema/wire.md 15).
enum class Carrier : std::uint8_t { udp, websocket };

// An IPv6 address, or an IPv4 address mapped into IPv6, a port, and the carrier that the port
// belongs to.
struct Address {
  std::array<std::uint8_t, 16> ip{};
  std::uint16_t port = 0;
  Carrier carrier = Carrier::udp;

  friend bool operator==(const Address&, const Address&) = default;
};

// Returns true for an IPv4 address, which is stored mapped into IPv6.
inline bool is_ipv4(const Address& address) {
  return std::equal(kMappedIpv4.begin(), kMappedIpv4.end(), address.ip.begin());
}

// Returns true for 127.0.0.0/8 and ::1.
inline bool is_loopback(const Address& address) {
  if (is_ipv4(address)) return address.ip[12] == 127;
  return std::all_of(address.ip.begin(), address.ip.end() - 1, [](auto b) { return b == 0; }) &&
         address.ip[15] == 1;
}

// A list of at most kMax addresses, as in a connect token. It never allocates.
class AddressList {
 public:
  static constexpr std::size_t kMax = 32;

  AddressList() = default;
  AddressList(std::initializer_list<Address> addresses) {
    for (const Address& address : addresses) add(address);
  }

  // Appends an address. REQUIRES: size() < kMax.
  void add(const Address& address) {
    ORRERY_ASSERT(count_ < kMax);
    list_[count_++] = address;
  }
  // Returns the index of an address, or size() if it is not in the list.
  std::size_t index_of(const Address& address) const {
    const auto all = span();
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), address) - all.begin());
  }
  // Returns the addresses in the order in which they were added.
  std::span<const Address> span() const { return std::span(list_).first(count_); }
  std::size_t size() const { return count_; }

 private:
  std::array<Address, kMax> list_{};
  std::size_t count_ = 0;
};

}  // namespace orrery::net
