// Reads and writes network addresses as text.
#include "common/net/packet/address_text.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "common/core/printable.h"

namespace orrery::net {
namespace {

constexpr std::size_t kGroups = 8;  // groups of 16 bits in an IPv6 address
static_assert(2 * kGroups == sizeof(Address::ip));
static_assert(kMappedIpv4.size() + 4 == sizeof(Address::ip));

template <class Integer>
bool read_number(std::string_view text, int base, Integer& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  return stop == end && error == std::errc{};
}

// Reads four decimal numbers without leading zeros.
bool read_ipv4(std::string_view text, std::span<std::uint8_t, 4> ip) {
  for (std::size_t i = 0; i < ip.size(); ++i) {
    const std::size_t size = i + 1 < ip.size() ? text.find('.') : text.size();
    const std::string_view part = text.substr(0, size);
    if (size == std::string_view::npos || (part.size() > 1 && part.front() == '0')) return false;
    if (!read_number(part, 10, ip[i])) return false;
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return true;
}

// Reads the groups of a part of an IPv6 address, separated by single colons. The last group can be
// an IPv4 address. Returns the number of bytes written, or nothing if the text is malformed or too
// long.
std::optional<std::size_t> read_groups(std::string_view text, std::span<std::uint8_t> out) {
  std::size_t size = 0;
  for (bool has_more = !text.empty(); has_more;) {
    const std::size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    has_more = colon != std::string_view::npos;
    if (has_more) text.remove_prefix(colon + 1);
    const bool is_ipv4 = !has_more && group.find('.') != std::string_view::npos;
    const std::span<std::uint8_t> rest = out.subspan(size);
    std::uint16_t number = 0;
    if (rest.size() < (is_ipv4 ? 4u : 2u)) return {};
    if (is_ipv4) {
      if (!read_ipv4(group, rest.first<4>())) return {};
    } else {
      if (group.size() > 4 || !read_number(group, 16, number)) return {};
      rest[0] = static_cast<std::uint8_t>(number >> 8);
      rest[1] = static_cast<std::uint8_t>(number & 0xff);
    }
    size += is_ipv4 ? 4 : 2;
  }
  return size;
}

// REQUIRES: `ip` is zero.
bool read_ipv6(std::string_view text, std::array<std::uint8_t, 16>& ip) {
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) return read_groups(text, ip) == ip.size();
  const std::string_view before = text.substr(0, gap);
  if (before.find('.') != std::string_view::npos) return false;
  std::array<std::uint8_t, 16> tail{};
  const std::optional<std::size_t> head_size = read_groups(before, ip);
  const std::optional<std::size_t> tail_size = read_groups(text.substr(gap + 2), tail);
  // The gap `::` stands for at least one group of two bytes.
  if (!head_size || !tail_size || *head_size + *tail_size + 2 > ip.size()) return false;
  std::copy_n(tail.begin(), *tail_size, ip.end() - static_cast<std::ptrdiff_t>(*tail_size));
  return true;
}

std::string ipv4_text(std::span<const std::uint8_t, 4> ip) {
  return std::to_string(ip[0]) + '.' + std::to_string(ip[1]) + '.' + std::to_string(ip[2]) + '.' +
         std::to_string(ip[3]);
}

std::array<unsigned, kGroups> groups_of(const Address& address) {
  std::array<unsigned, kGroups> groups{};
  for (std::size_t i = 0; i < kGroups; ++i) {
    groups[i] = 256u * address.ip[2 * i] + address.ip[2 * i + 1];
  }
  return groups;
}

// A range of groups.
struct Run {
  std::size_t first = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - first; }
};

// Returns the first of the longest runs of zero groups.
Run longest_zeros(const std::array<unsigned, kGroups>& groups) {
  Run longest;
  for (std::size_t first = 0; first < kGroups; ++first) {
    Run run{first, first};
    while (run.end < kGroups && groups[run.end] == 0) ++run.end;
    if (run.size() > longest.size()) longest = run;
  }
  return longest;
}

std::string ipv6_text(const Address& address) {
  const std::array<unsigned, kGroups> groups = groups_of(address);
  const Run gap = longest_zeros(groups);
  std::string text;
  for (std::size_t i = 0; i < kGroups;) {
    if (i == gap.first && gap.size() > 1) {
      text += "::";
      i = gap.end;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    // The last 32 bits of an IPv4-compatible address (RFC 4291, section 2.5.5.1) are written as an
    // IPv4 address.
    if (i == 6 && gap.first == 0 && gap.end == 6) {
      return text + ipv4_text(std::span(address.ip).last<4>());
    }
    char digits[4];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, groups[i], 16).ptr);
    ++i;
  }
  return text;
}

}  // namespace

Result<Address> parse_address(const std::string& text) {
  const Error error{printable(text) +
                    ": not an address; write it like 127.0.0.1:4770, [::1]:4770 or localhost:4770"};
  const std::size_t colon = text.rfind(':');
  Address address;
  if (colon == std::string::npos) return error;
  if (!read_number(std::string_view(text).substr(colon + 1), 10, address.port)) return error;
  std::string_view host = std::string_view(text).substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    return read_ipv6(host.substr(1, host.size() - 2), address.ip) ? Result<Address>(address)
                                                                  : error;
  }
  if (host == "localhost") host = "127.0.0.1";  // the only accepted name: it needs no lookup
  std::copy(kMappedIpv4.begin(), kMappedIpv4.end(), address.ip.begin());
  return read_ipv4(host, std::span(address.ip).last<4>()) ? Result<Address>(address) : error;
}

Result<Address> parse_destination(const std::string& text) {
  Result<Address> address = parse_address(text);
  if (address && address.value().port == 0) {
    return Error{"nobody is at port 0; give the port of the server, 1 to 65535"}.in(text);
  }
  return address;
}

std::string format_address(const Address& address) {
  const std::string port = ':' + std::to_string(address.port);
  if (is_ipv4(address)) return ipv4_text(std::span(address.ip).last<4>()) + port;
  return '[' + ipv6_text(address) + ']' + port;
}

}  // namespace orrery::net
