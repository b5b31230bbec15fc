// Declares one TCP connection of the web side: HTTP first, and perhaps a WebSocket later.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "common/core/bytes.h"
#include "common/net/environment.h"
#include "server/web/log_body.h"
#include "server/web/page/page_files.h"
#include "server/web/session_view.h"
#include "server/web/turns.h"

namespace orrery::server::web {

// The state that all connections share. REQUIRES: it outlives the connections.
struct Shared {
  boost::asio::io_context& context;
  LogReaders& readers;
  Turns& turns;
  SessionView& view;
  const PageFiles& page;
  // Takes a message of a WebSocket.
  std::function<void(const net::Address& from, Bytes message)> received;
  // Called when a WebSocket ends and carries no more messages. `stalled`: it ends because the other
  // side took no bytes for too long.
  std::function<void(const net::Address& address, bool stalled)> left;
  // Called when the connection is closed.
  std::function<void(const net::Address& address)> closed;
  // Called when a request is refused, or a connection is closed because the other side sent
  // something wrong, or was too slow.
  std::function<void(const net::Address& address, std::string_view reason)> refused;
};

// The requests that a connection may send: any, or one answer about the health of the server.
enum class Place { any, health };

// The use of a connection: it ends, it is open, or it is the WebSocket of a connected client.
enum class Use { ends, open, client };

// A connection. All functions are called by the thread of the loop.
class Connection {
 public:
  // Makes a connection from an accepted socket, and starts to read. It lives until it is closed.
  static std::shared_ptr<Connection> start(boost::asio::ip::tcp::socket socket,
                                           const net::Address& address, const Shared& shared,
                                           Place place);
  virtual ~Connection() = default;

  // Appends packets as messages, if this is a WebSocket with room for them; drops them otherwise.
  // Each has `size` bytes; the last may be shorter.
  virtual void append(Bytes packets, std::size_t size) = 0;
  // Sends the appended messages. Never waits.
  virtual void flush() = 0;
  // Returns true if everything that was sent has left this machine.
  virtual bool is_clear() const = 0;
  // Returns the use of this connection now.
  virtual Use use() const = 0;
  // Notes that the server has taken a message. The connection reads the next one if it was waiting
  // for room.
  virtual void took_message() = 0;
  // Closes the connection if it is late. Call it several times a second.
  virtual void check(net::Nanoseconds now) = 0;
  // Closes the connection at once.
  virtual void close() = 0;
  // Says goodbye to a WebSocket, because the server ends.
  virtual void stop() = 0;
};

}  // namespace orrery::server::web
