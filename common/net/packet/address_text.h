// Reads and writes network addresses as text.
#pragma once

#include <string>

#include "common/core/result.h"
#include "common/net/packet/address.h"

namespace orrery::net {

// Parses "127.0.0.1:4770", "[::1]:4770" or "localhost:4770". An Error is one printable line that
// starts with the text.
Result<Address> parse_address(const std::string& text);

// Parses the address of a destination, which cannot have port 0.
Result<Address> parse_destination(const std::string& text);

// Returns the address in the form that parse_address() reads. IPv6 addresses have their canonical
// form (RFC 5952).
std::string format_address(const Address& address);

}  // namespace orrery::net
