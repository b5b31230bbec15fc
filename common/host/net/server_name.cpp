// Asks the system's resolver in a thread.
#include "common/host/net/server_name.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "common/core/printable.h"
#include "common/net/packet/address_text.h"

namespace orrery::host {
namespace {

constexpr std::size_t kHostCharactersMax = 253;  // RFC 1035

// Returns true if the text may be the name of a host.
bool is_name(std::string_view text) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && text.size() <= kHostCharactersMax &&
         std::all_of(text.begin(), text.end(), is_allowed) &&
         std::any_of(text.begin(), text.end(), is_letter);
}

std::optional<net::Address> address_of(const addrinfo& info, std::uint16_t port) {
  net::Address address;
  address.port = port;
  if (info.ai_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, info.ai_addr, sizeof v4);
    std::copy(net::kMappedIpv4.begin(), net::kMappedIpv4.end(), address.ip.begin());
    std::memcpy(address.ip.data() + net::kMappedIpv4.size(), &v4.sin_addr, 4);
    return address;
  }
  if (info.ai_family != AF_INET6) return std::nullopt;
  sockaddr_in6 v6;
  std::memcpy(&v6, info.ai_addr, sizeof v6);
  std::memcpy(address.ip.data(), &v6.sin6_addr, address.ip.size());
  return address;
}

// Puts the addresses in turn: one of the first kind, one of the other kind, one of the first kind
// again, as RFC 8305, section 4, says.
net::AddressList in_turn(const std::vector<net::Address>& all) {
  std::vector<net::Address> kinds[2];
  for (const net::Address& address : all) {
    kinds[net::is_ipv4(address) != net::is_ipv4(all.front())].push_back(address);
  }
  net::AddressList list;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const auto& kind : kinds) {
      if (i < kind.size() && list.size() < ServerName::kAddressesMax) list.add(kind[i]);
    }
  }
  return list;
}

// Returns the addresses of a host. An Error has the message of the system. May take many seconds.
Result<net::AddressList> ask_system(const std::string& host, std::uint16_t port) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &wanted, &found);
  if (error != 0) {
    return Error{error == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(error)};
  }
  std::vector<net::Address> all;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    const auto address = address_of(*at, port);
    if (address && std::find(all.begin(), all.end(), *address) == all.end()) {
      all.push_back(*address);
    }
  }
  ::freeaddrinfo(found);
  if (all.empty()) return Error{"it has no IPv4 or IPv6 address"};
  return in_turn(all);
}

}  // namespace

// A look-up. Its thread keeps it alive.
struct ServerName::LookUp {
  std::mutex mutex;
  std::condition_variable ended;
  std::optional<Result<net::AddressList>> result;

  void end(Result<net::AddressList> with) {
    const std::lock_guard lock(mutex);
    result = std::move(with);
    ended.notify_all();
  }
};

Result<ServerName> ServerName::find(const std::string& text) {
  const Result<net::Address> address = net::parse_destination(text);
  if (address) return ServerName(address.value());
  const std::size_t colon = text.rfind(':');
  ServerName name;
  if (colon == std::string::npos) return address.error();
  name.host_ = text.substr(0, colon);
  const char* const end = text.data() + text.size();
  const auto port = std::from_chars(text.data() + colon + 1, end, name.port_);
  const bool has_port = port.ec == std::errc{} && port.ptr == end;
  if (!has_port || name.port_ == 0 || !is_name(name.host_)) return address.error();
  name.look_up();
  const std::shared_ptr<LookUp> look_up = name.look_up_;
  std::unique_lock lock(look_up->mutex);
  look_up->ended.wait_for(lock, std::chrono::nanoseconds(kWaitMax),
                          [&] { return look_up->result.has_value(); });
  if (!look_up->result) return Error{text + ": no address for this name within 5 s; try again"};
  if (!*look_up->result) {
    return Error{text + ": no address for this name: " + look_up->result->error().text()};
  }
  name.addresses_ = look_up->result->value();
  return name;
}

net::Address ServerName::canonical() const {
  const auto all = addresses_.span();
  return *std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    if (net::is_ipv4(a) != net::is_ipv4(b)) return net::is_ipv4(a);
    return a.ip < b.ip;
  });
}

void ServerName::look_up() {
  if (host_.empty() || is_looking()) return;
  look_up_ = std::make_shared<LookUp>();
  try {
    std::thread([look_up = look_up_, host = host_, port = port_] {
      look_up->end(ask_system(host, port));
    }).detach();
  } catch (const std::system_error&) {
    look_up_->end(Error{"no thread for the look-up"});
  }
}

bool ServerName::is_looking() {
  if (!look_up_) return false;
  const std::lock_guard lock(look_up_->mutex);
  if (!look_up_->result) return true;
  if (*look_up_->result) addresses_ = look_up_->result->value();
  return false;
}

}  // namespace orrery::host
