// Calls the socket interface of the system.
#include "common/host/net/udp.h"

#include <fcntl.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "common/core/assert.h"
#include "common/host/process/clock.h"
#include "common/host/process/failure.h"
#include "common/net/packet/address_text.h"

namespace orrery::host {
namespace {

// Asks for large buffers, which absorb bursts. A size above net.core.rmem_max or wmem_max needs a
// privilege; without it the system grants only these limits.
void request_buffers(int descriptor) {
  constexpr int kBytes = UdpNetwork::kBufferBytes;
  for (const auto& [forced, asked] :
       {std::pair{SO_RCVBUFFORCE, SO_RCVBUF}, std::pair{SO_SNDBUFFORCE, SO_SNDBUF}}) {
    if (::setsockopt(descriptor, SOL_SOCKET, forced, &kBytes, sizeof kBytes) == 0) continue;
    ::setsockopt(descriptor, SOL_SOCKET, asked, &kBytes, sizeof kBytes);
  }
}

socklen_t to_system(const net::Address& address, sockaddr_storage& out) {
  out = {};
  if (net::is_ipv4(address)) {
    auto& v4 = reinterpret_cast<sockaddr_in&>(out);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    std::memcpy(&v4.sin_addr, address.ip.data() + net::kMappedIpv4.size(), 4);
    return sizeof v4;
  }
  auto& v6 = reinterpret_cast<sockaddr_in6&>(out);
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(address.port);
  std::memcpy(&v6.sin6_addr, address.ip.data(), address.ip.size());
  return sizeof v6;
}

net::Nanoseconds nanoseconds_of(const timespec& time) {
  return static_cast<net::Nanoseconds>(time.tv_sec) * net::kSecond +
         static_cast<net::Nanoseconds>(time.tv_nsec);
}

net::Address from_system(const sockaddr_storage& in) {
  net::Address address;
  if (in.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(in);
    std::copy(net::kMappedIpv4.begin(), net::kMappedIpv4.end(), address.ip.begin());
    std::memcpy(address.ip.data() + net::kMappedIpv4.size(), &v4.sin_addr, 4);
    address.port = ntohs(v4.sin_port);
  } else {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(in);
    std::memcpy(address.ip.data(), &v6.sin6_addr, address.ip.size());
    address.port = ntohs(v6.sin6_port);
  }
  return address;
}

}  // namespace

Result<std::unique_ptr<UdpNetwork>> UdpNetwork::bind(const net::Address& address) {
  const auto failed = [&](const char* what) {
    const std::string why =
        explain_error(errno, "choose another address or port, or stop the program that has it");
    return Error{net::format_address(address) + ": " + what + ": " + why};
  };
  const int family = net::is_ipv4(address) ? AF_INET : AF_INET6;
  const int descriptor = ::socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return failed("cannot make a socket");
  request_buffers(descriptor);
  sockaddr_storage system{};
  socklen_t size = to_system(address, system);
  if (::bind(descriptor, reinterpret_cast<sockaddr*>(&system), size) != 0) {
    const Error error = failed("cannot listen");
    ::close(descriptor);
    return error;
  }
  size = sizeof system;
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&system), &size);
  return std::unique_ptr<UdpNetwork>(new UdpNetwork(descriptor, from_system(system)));
}

Result<std::unique_ptr<UdpNetwork>> UdpNetwork::towards(const net::Address& server) {
  net::Address any;
  if (net::is_ipv4(server))
    std::copy(net::kMappedIpv4.begin(), net::kMappedIpv4.end(), any.ip.begin());
  auto network = bind(any);
  if (!network) return network;
  // Only a connected socket receives ICMP errors. If connecting fails, every send() fails too and
  // reports why.
  sockaddr_storage system{};
  const socklen_t size = to_system(server, system);
  ::connect(network.value()->descriptor_, reinterpret_cast<sockaddr*>(&system), size);
  return network;
}

UdpNetwork::UdpNetwork(int descriptor, const net::Address& local)
    : descriptor_(descriptor), local_(local) {}

UdpNetwork::~UdpNetwork() { ::close(descriptor_); }

// The system doubles the requested size, and reports the doubled one.
std::size_t UdpNetwork::receive_buffer() const {
  int bytes = 0;
  socklen_t size = sizeof bytes;
  ::getsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &bytes, &size);
  return static_cast<std::size_t>(bytes) / 2;
}

std::uint64_t UdpNetwork::overflowed() const {
  std::array<std::uint32_t, SK_MEMINFO_VARS> figures{};
  socklen_t size = sizeof figures;
  ::getsockopt(descriptor_, SOL_SOCKET, SO_MEMINFO, figures.data(), &size);
  return figures[SK_MEMINFO_DROPS];
}

void UdpNetwork::note_error(int error) {
  if (error == EAGAIN || error == ENOBUFS) return;
  error_ = error;
  sent_since_error_ = 0;
}

void UdpNetwork::send(const net::Address& to, Bytes datagram) {
  sockaddr_storage system;
  const socklen_t size = to_system(to, system);
  const auto try_once = [&] {
    return ::sendto(descriptor_, datagram.data(), datagram.size(), MSG_NOSIGNAL,
                    reinterpret_cast<const sockaddr*>(&system), size) >= 0;
  };
  bool sent = try_once();
  if (!sent) note_error(errno);
  // The error was an ICMP report about an earlier datagram, so this one has not been tried yet.
  if (!sent && errno == ECONNREFUSED) sent = try_once();
  if (!sent) ++unsent_;
  sent_since_error_ = std::min(sent_since_error_, kSentPerError) + 1;
}

std::optional<std::size_t> UdpNetwork::receive(net::Address& from, std::span<std::uint8_t> into) {
  sockaddr_storage system{};
  for (;;) {
    socklen_t size = sizeof system;
    const ssize_t got = ::recvfrom(descriptor_, into.data(), into.size(), MSG_TRUNC,
                                   reinterpret_cast<sockaddr*>(&system), &size);
    if (got < 0 && errno == ECONNREFUSED) note_error(errno);
    if (got < 0 && (errno == EINTR || errno == ECONNREFUSED)) continue;
    if (got < 0) return std::nullopt;
    from = from_system(system);
    return std::min(static_cast<std::size_t>(got), into.size());
  }
}

// A datagram or a train of them, and its destination.
struct UdpBatch::Message {
  net::Address to;
  std::size_t size;  // bytes of each datagram
  sockaddr_storage address;
  iovec bytes;
  alignas(cmsghdr) std::array<std::uint8_t, CMSG_SPACE(sizeof(std::uint16_t))> control;

  Bytes datagrams() const {
    return {static_cast<const std::uint8_t*>(bytes.iov_base), bytes.iov_len};
  }
  bool is_train() const { return bytes.iov_len > size; }
};

struct UdpBatch::Waiting {
  std::array<Message, kMessagesMax> messages;
  std::array<mmsghdr, kMessagesMax> headers;  // headers of the messages, as the system reads them
  std::array<std::uint8_t, kBytesMax> bytes;
  std::size_t count = 0;
  std::size_t bytes_used = 0;
};

// Datagrams received from the system. The datagrams from `next` to `count` - 1 have not been
// returned yet.
struct UdpBatch::Arrived {
  Arrived() {
    for (std::size_t i = 0; i < kMessagesMax; ++i) {
      memory[i] = {datagrams[i].data(), datagrams[i].size()};
      msghdr& header = headers[i].msg_hdr;
      header.msg_name = &addresses[i];
      header.msg_iov = &memory[i];
      header.msg_iovlen = 1;
      header.msg_control = &stamps[i];
    }
  }

  // Makes the headers ready for the next call of recvmmsg(), which changes these lengths.
  void prepare() {
    for (mmsghdr& header : headers) {
      header.msg_hdr.msg_namelen = sizeof(sockaddr_storage);
      header.msg_hdr.msg_controllen = sizeof(Stamp);
    }
  }

  // Room for the time at which the system received a datagram.
  struct Stamp {
    alignas(cmsghdr) std::array<std::uint8_t, CMSG_SPACE(sizeof(timespec))> bytes;
  };

  std::array<mmsghdr, kMessagesMax> headers{};
  std::array<sockaddr_storage, kMessagesMax> addresses;
  std::array<iovec, kMessagesMax> memory;
  std::array<Stamp, kMessagesMax> stamps;
  std::array<std::array<std::uint8_t, net::kPacketBytesMax + 1>, kMessagesMax> datagrams;
  std::size_t next = 0;
  std::size_t count = 0;
  bool were_all = false;              // the system had no more datagrams
  net::Nanoseconds read_at = 0;       // monotonic time after recvmmsg()
  net::Nanoseconds read_at_real = 0;  // the time of `read_at`, by the real-time clock of the stamps
};

// Returns the time at which the system received a datagram, by its real-time clock; 0 if it gave
// none.
net::Nanoseconds stamp_of(const msghdr& constant) {
  msghdr header = constant;  // CMSG_NXTHDR wants one that can change
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec time{};
    std::memcpy(&time, CMSG_DATA(c), sizeof time);
    return nanoseconds_of(time);
  }
  return 0;
}

UdpBatch::UdpBatch(UdpNetwork& network)
    : network_(network),
      waiting_(std::make_unique<Waiting>()),
      arrived_(std::make_unique<Arrived>()) {
  constexpr int kOn = 1;  // without this option, arrival() returns when receive() read it
  ::setsockopt(network.descriptor_, SOL_SOCKET, SO_TIMESTAMPNS, &kOn, sizeof kOn);
}

UdpBatch::~UdpBatch() = default;

void UdpBatch::send_train(const net::Address& to, Bytes datagrams, std::size_t size) {
  if (!has_segmentation_offload_) return net::NetEnvironment::send_train(to, datagrams, size);
  append(to, datagrams, size);
}

void UdpBatch::append(const net::Address& to, Bytes datagrams, std::size_t size) {
  ORRERY_ASSERT(datagrams.size() <= kBytesMax);
  Waiting& w = *waiting_;
  if (w.count == kMessagesMax || w.bytes_used + datagrams.size() > kBytesMax) flush();
  Message& message = w.messages[w.count];
  message.to = to;
  message.size = size;
  message.bytes = {w.bytes.data() + w.bytes_used, datagrams.size()};
  std::copy(datagrams.begin(), datagrams.end(), w.bytes.data() + w.bytes_used);
  w.bytes_used += datagrams.size();
  msghdr& header = w.headers[w.count++].msg_hdr;
  header = {};
  header.msg_name = &message.address;
  header.msg_namelen = to_system(to, message.address);
  header.msg_iov = &message.bytes;
  header.msg_iovlen = 1;
  if (!message.is_train()) return;
  header.msg_control = message.control.data();
  header.msg_controllen = message.control.size();
  cmsghdr* const control = CMSG_FIRSTHDR(&header);
  control->cmsg_level = SOL_UDP;
  control->cmsg_type = UDP_SEGMENT;
  control->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
  const auto segment = static_cast<std::uint16_t>(size);
  std::memcpy(CMSG_DATA(control), &segment, sizeof segment);
}

// sendmmsg() sends the messages before the first one that the system refuses. It returns the error
// only if the refused message is the first one passed to it.
void UdpBatch::flush() {
  Waiting& w = *waiting_;
  for (std::size_t i = 0; i < w.count;) {
    const int sent = ::sendmmsg(network_.descriptor_, &w.headers[i],
                                static_cast<unsigned>(w.count - i), MSG_NOSIGNAL);
    if (sent > 0) {
      i += static_cast<std::size_t>(sent);
    } else {
      refused(w.messages[i++], errno);
    }
  }
  w.count = w.bytes_used = 0;
}

// If the system returned fewer datagrams than requested, there were no more. The call after the
// last datagram then returns nothing without a system call.
std::optional<std::size_t> UdpBatch::receive(net::Address& from, std::span<std::uint8_t> into) {
  Arrived& a = *arrived_;
  if (a.next == a.count) {
    if (std::exchange(a.were_all, false)) return std::nullopt;
    a.prepare();
    int got = 0;
    do {
      got = ::recvmmsg(network_.descriptor_, a.headers.data(), kMessagesMax, 0, nullptr);
    } while (got < 0 && errno == EINTR);
    a.next = 0;
    a.count = got < 0 ? 0 : static_cast<std::size_t>(got);
    if (a.count == 0) return std::nullopt;
    a.were_all = a.count < kMessagesMax;
    timespec real{};
    ::clock_gettime(CLOCK_REALTIME, &real);
    a.read_at_real = nanoseconds_of(real);
    a.read_at = monotonic_now();
  }
  const std::size_t i = a.next++;
  from = from_system(a.addresses[i]);
  const std::size_t size = std::min<std::size_t>(a.headers[i].msg_len, into.size());
  std::copy_n(a.datagrams[i].begin(), size, into.begin());
  return size;
}

// The stamp is a time of the real-time clock, which can be set at any time. An age of more than a
// second therefore counts as a second, and a negative age as 0.
net::Nanoseconds UdpBatch::arrival(net::Nanoseconds now) const {
  const Arrived& a = *arrived_;
  ORRERY_ASSERT(a.next >= 1);
  const net::Nanoseconds stamp = stamp_of(a.headers[a.next - 1].msg_hdr);
  if (stamp == 0 || stamp > a.read_at_real) return std::min(now, a.read_at);
  const net::Nanoseconds age = std::min(a.read_at_real - stamp, net::kSecond);
  return std::min(now, a.read_at - std::min(age, a.read_at));
}

void UdpBatch::refused(const Message& message, int error) {
  if (!message.is_train() || error == EAGAIN || error == ENOBUFS) {
    network_.unsent_ +=
        message.is_train() ? (message.bytes.iov_len + message.size - 1) / message.size : 1;
    return;
  }
  // These three errors mean that the system has no segmentation offload. Any other error concerns
  // only this train or its address. In both cases, send the datagrams one by one.
  if (error == EIO || error == EOPNOTSUPP || error == ENOPROTOOPT)
    has_segmentation_offload_ = false;
  network_.send_train(message.to, message.datagrams(), message.size);
}

}  // namespace orrery::host
