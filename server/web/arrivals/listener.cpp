// Accepts TCP connections. Wakes the loop for them only when it is asked to.
#include "server/web/arrivals/listener.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "common/core/limits.h"
#include "common/host/process/failure.h"
#include "common/net/packet/address_text.h"

namespace orrery::server::web {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;

net::Address address_of(const tcp::endpoint& endpoint) {
  net::Address address{.port = endpoint.port(), .carrier = net::Carrier::websocket};
  const asio::ip::address ip = endpoint.address();
  if (ip.is_v4()) {
    const auto bytes = ip.to_v4().to_bytes();
    std::copy(net::kMappedIpv4.begin(), net::kMappedIpv4.end(), address.ip.begin());
    std::copy(bytes.begin(), bytes.end(), address.ip.begin() + net::kMappedIpv4.size());
  } else {
    const auto bytes = ip.to_v6().to_bytes();
    std::copy(bytes.begin(), bytes.end(), address.ip.begin());
  }
  return address;
}

tcp::endpoint endpoint_of(const net::Address& address) {
  if (!net::is_ipv4(address)) {
    return {asio::ip::address_v6(address.ip), address.port};
  }
  asio::ip::address_v4::bytes_type bytes{};
  std::copy(address.ip.begin() + net::kMappedIpv4.size(), address.ip.end(), bytes.begin());
  return {asio::ip::address_v4(bytes), address.port};
}

}  // namespace

Listener::Listener(asio::io_context& context, tcp::acceptor acceptor)
    : context_(context),
      local_(address_of(acceptor.local_endpoint())),
      protocol_(acceptor.local_endpoint().protocol()),
      socket_(acceptor.release()),
      in_loop_(context) {}

Listener::~Listener() {
  if (in_loop_.is_open()) in_loop_.release();
}

Result<std::unique_ptr<Listener>> Listener::open(asio::io_context& context,
                                                 const net::Address& address) {
  const tcp::endpoint endpoint = endpoint_of(address);
  tcp::acceptor acceptor(context);
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  const asio::socket_base::receive_buffer_size receive_bytes(limits::kWebReceiveBytes);
  if (!error) acceptor.set_option(receive_bytes, error);  // for all its connections
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) acceptor.non_blocking(true, error);
  if (error) {
    return Error{net::format_address(address) + ": cannot listen: " +
                 host::explain_error(error.value(),
                                     "choose another address or port, stop the program that has "
                                     "it, or give off")};
  }
  return std::unique_ptr<Listener>(new Listener(context, std::move(acceptor)));
}

bool Listener::wait(std::function<void()> ready) {
  error_code full;
  in_loop_.assign(socket_.descriptor(), full);
  if (full) return false;
  in_loop_.async_wait(asio::posix::stream_descriptor::wait_read,
                      [this, ready = std::move(ready)](const error_code& error) {
                        if (error) return;
                        in_loop_.release();
                        ready();
                      });
  return true;
}

std::optional<Guest> Listener::accept() {
  failed_ = false;
  for (;;) {
    tcp::endpoint from;
    auto size = static_cast<socklen_t>(from.capacity());
    OwnedSocket accepted(
        ::accept4(socket_.descriptor(), from.data(), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (accepted.descriptor() >= 0) {
      from.resize(size);
      return Guest{std::move(accepted), address_of(from)};
    }
    if (errno == EINTR || errno == ECONNABORTED) continue;
    failed_ = errno != EAGAIN;
    return std::nullopt;
  }
}

std::optional<tcp::socket> Listener::socket_of(OwnedSocket accepted) {
  tcp::socket socket(context_);
  error_code full;
  socket.assign(protocol_, accepted.descriptor(), full);
  if (full) return std::nullopt;
  accepted.release();
  return socket;
}

}  // namespace orrery::server::web
