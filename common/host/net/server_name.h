// Finds the addresses of a server by the name of its host.
#pragma once

#include <memory>
#include <string>

#include "common/core/result.h"
#include "common/net/environment.h"
#include "common/net/packet/address.h"

namespace orrery::host {

// The name of a server, HOST:PORT, and its addresses. HOST is an IPv4 address, an IPv6 address in
// brackets, or a name, which the system looks up. Copies share the look-up.
class ServerName {
 public:
  // Longest wait of find(), and maximum number of addresses of a name.
  static constexpr net::Nanoseconds kWaitMax = 5 * net::kSecond;
  static constexpr std::size_t kAddressesMax = 8;

  // Parses the text, and looks the name up if it is one. An Error is one printable line that starts
  // with the text.
  static Result<ServerName> find(const std::string& text);
  // Names a server by its address.
  ServerName(const net::Address& address) : addresses_({address}) {}  // NOLINT: a conversion

  // Returns the addresses that were found last, at least one. If the name has addresses of both
  // kinds, IPv4 and IPv6 take turns.
  const net::AddressList& addresses() const { return addresses_; }
  // Returns the first address.
  const net::Address& first() const { return addresses_.span().front(); }
  // Returns the address that this name has on every machine: IPv4 before IPv6, then the lowest.
  net::Address canonical() const;

  // Looks the name up again, in a thread. Does nothing for an address, or while a look-up runs.
  void look_up();
  // Takes the result of the look-up if it has ended well. Returns true while it runs.
  bool is_looking();

 private:
  struct LookUp;

  ServerName() = default;

  std::string host_;  // empty: an address
  std::uint16_t port_ = 0;
  net::AddressList addresses_;
  std::shared_ptr<LookUp> look_up_;
};

}  // namespace orrery::host
