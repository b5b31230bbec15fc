// Sets the options of a TCP socket, looks at its first input, and asks the kernel how much of its
// output has left.
#include "server/web/socket_state.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

namespace orrery::server::web {
namespace {

std::uint64_t queued(int descriptor, unsigned long request) {
  int bytes = 0;
  if (::ioctl(descriptor, request, &bytes) != 0 || bytes < 0) return 0;
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

void set_stream_options(int descriptor) {
  constexpr int kOn = 1;
  for (const int option : {TCP_NODELAY, TCP_THIN_LINEAR_TIMEOUTS}) {
    ::setsockopt(descriptor, IPPROTO_TCP, option, &kOn, sizeof kOn);
  }
}

bool asks_health(int descriptor) {
  std::array<char, 13> input{};
  const ssize_t size = ::recv(descriptor, input.data(), input.size(), MSG_PEEK | MSG_DONTWAIT);
  const std::string_view text(input.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return text.starts_with("GET /healthz") || text.starts_with("HEAD /healthz");
}

std::uint64_t unsent_bytes(int descriptor) { return queued(descriptor, SIOCOUTQNSD); }

Acknowledged acknowledged(int descriptor) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
  return {info.tcpi_bytes_acked, queued(descriptor, SIOCOUTQ) == 0};
}

}  // namespace orrery::server::web
