// Accepts TCP connections. Wakes the loop for them only when it is asked to.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "common/core/result.h"
#include "common/net/packet/address.h"
#include "server/web/arrivals/lobby.h"

namespace orrery::server::web {

// A listening TCP socket. It is in the epoll set of the loop only while it waits. An acceptor of
// Asio always is: each connection that arrives then wakes the loop, also while the web side may not
// work, which costs more than accepting it.
class Listener {
 public:
  // Listens at an address. Port 0 takes any free port. An Error starts with the address.
  // REQUIRES: `context` outlives the listener.
  static Result<std::unique_ptr<Listener>> open(boost::asio::io_context& context,
                                                const net::Address& address);
  ~Listener();

  // Returns the local address, with the actual port.
  const net::Address& local() const { return local_; }

  // Calls `ready` once, in a later handler, when a connection waits. Returns false if the kernel
  // cannot add the socket to the epoll set: `ready` is then not called. REQUIRES: the former call
  // has been answered; the listener outlives the handler.
  bool wait(std::function<void()> ready);

  // Returns the next connection, or nothing if none waits. Returns nothing after an error, too: for
  // example, no descriptor is free. failed() is then true.
  std::optional<Guest> accept();
  bool failed() const { return failed_; }

  // Makes a socket of the loop from an accepted connection. Returns nothing if the kernel cannot
  // add it to the epoll set: the connection is then closed.
  std::optional<boost::asio::ip::tcp::socket> socket_of(OwnedSocket accepted);

 private:
  Listener(boost::asio::io_context& context, boost::asio::ip::tcp::acceptor acceptor);

  boost::asio::io_context& context_;
  const net::Address local_;
  const boost::asio::ip::tcp protocol_;
  const OwnedSocket socket_;
  boost::asio::posix::stream_descriptor in_loop_;  // has the socket while wait() waits
  bool failed_ = false;
};

}  // namespace orrery::server::web
