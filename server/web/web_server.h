// Serves HTTP and WebSockets from the loop of the server: the page, the session, and clients.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "common/core/result.h"
#include "common/net/environment.h"
#include "server/operator/operator_log.h"
#include "server/web/page/page_files.h"
#include "server/web/session_view.h"

namespace boost::asio {
class io_context;
}

namespace orrery::server::web {

// The web side of a server. Its work runs in the handlers of the loop, between ticks. Each handler
// is short: the number of connections, and the bytes that they read, are limited
// (common/core/limits.h). A message of a WebSocket is a packet (schema/wire.md 15).
class WebServer {
 public:
  // Opens a TCP socket at an address. Port 0 takes any free port. An Error starts with the address.
  // REQUIRES: `context` outlives the web server.
  static Result<std::unique_ptr<WebServer>> listen(boost::asio::io_context& context,
                                                   const net::Address& address, PageFiles page);
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  // Returns the local address, with the actual port.
  const net::Address& local() const;

  // Accepts connections from now on. REQUIRES: called once; both outlive the web server.
  void serve(SessionView& view, OperatorLog& log);

  // Surround the work of the loop that is not work of the web side: its limit is on the rest.
  void begin_other();
  void end_other();

  // Says goodbye to all WebSockets, because the server ends. REQUIRES: no other call follows.
  void stop();

  // --- Packets of clients ---

  // Appends packets as messages to a WebSocket. Each packet has `size` bytes; only the last may be
  // shorter. Drops them if the WebSocket is closed or full. flush() sends them.
  void send(const net::Address& to, Bytes packets, std::size_t size);
  // Sends the appended messages.
  void flush();
  // Returns true if everything that was sent to this address has left this machine.
  bool is_clear(const net::Address& to) const;
  // Copies the next message into `into`, and its sender into `from`. Returns its size, or nothing
  // if there is none.
  std::optional<std::size_t> receive(net::Address& from, std::span<std::uint8_t> into);
  // Returns when the message that receive() returned last arrived.
  net::Nanoseconds arrival() const;
  // Returns the next address with a WebSocket that was closed, each once. Returns nothing if there
  // is no other.
  std::optional<net::ClosedAddress> next_closed();

 private:
  class Implementation;

  explicit WebServer(std::unique_ptr<Implementation> implementation);

  const std::unique_ptr<Implementation> implementation_;
};

}  // namespace orrery::server::web
