// Closes a TCP socket, sets its options, looks at its first input, and asks the kernel how much of
// its output has left.
#include "server/web/socket_state.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string_view>

#include "common/core/limits.h"

namespace orrery::server::web {
namespace {

std::uint64_t queued(int descriptor, unsigned long request) {
  int bytes = 0;
  if (::ioctl(descriptor, request, &bytes) != 0 || bytes < 0) return 0;
  return static_cast<std::uint64_t>(bytes);
}

// Returns the begin of the input, and leaves it in the socket. Empty if there is none.
std::string_view peek(int descriptor, std::span<char> into) {
  const ssize_t size = ::recv(descriptor, into.data(), into.size(), MSG_PEEK | MSG_DONTWAIT);
  return {into.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

}  // namespace

OwnedSocket::~OwnedSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void set_stream_options(int descriptor) {
  constexpr int kOn = 1;
  for (const int option : {TCP_NODELAY, TCP_THIN_LINEAR_TIMEOUTS}) {
    ::setsockopt(descriptor, IPPROTO_TCP, option, &kOn, sizeof kOn);
  }
}

FirstInput first_input(int descriptor) {
  std::array<char, 13> input{};
  const std::string_view text = peek(descriptor, input);
  if (text.empty()) return FirstInput::none;
  const bool is_health = text.starts_with("GET /healthz") || text.starts_with("HEAD /healthz");
  return is_health ? FirstInput::health : FirstInput::other;
}

bool has_ended(int descriptor) {
  char next = 0;
  return ::recv(descriptor, &next, sizeof next, MSG_PEEK | MSG_DONTWAIT) == 0;
}

bool is_gone(int descriptor) {
  pollfd state{descriptor, POLLRDHUP, 0};
  if (::poll(&state, 1, 0) != 1) return false;
  if (state.revents != POLLRDHUP) return true;
  std::array<char, limits::kWebHeaderBytesMax> input;
  const std::string_view text = peek(descriptor, input);
  return text.size() < input.size() && text.find("\r\n\r\n") == text.npos;
}

std::uint64_t unsent_bytes(int descriptor) { return queued(descriptor, SIOCOUTQNSD); }

Acknowledged acknowledged(int descriptor) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
  return {info.tcpi_bytes_acked, queued(descriptor, SIOCOUTQ) == 0};
}

}  // namespace orrery::server::web
