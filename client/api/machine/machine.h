// Declares the functions of the C interface that depend on the machine. This folder implements them
// for programs, and client/web/core implements them for a web page.
#pragma once

#include <memory>

#include "client/lib/client.h"
#include "common/core/result.h"
#include "common/session/byte_source.h"

namespace orrery::api {

// A client that has a socket.
struct SocketClient {
  virtual ~SocketClient() = default;

  // Returns the client, for everything that needs no socket.
  virtual client::Client& client() = 0;
  // Returns the time of the clock that the client uses.
  virtual net::Nanoseconds now() const = 0;
  // Receives and sends all that is due.
  virtual void update() = 0;
  // Waits for a datagram, at most `wait` and at most a thirtieth of a second. Then acts like
  // update().
  virtual void wait(net::Nanoseconds wait) = 0;
};

// Returns the cipher, the random bits and the calendar of a client without a socket.
client::ClientEnvironment client_environment();

// Returns a source of the unpacked bytes of the segment in `file`, which may be packed. A web page
// cannot unpack, so it gets an Error for a packed one.
Result<std::unique_ptr<session::ByteSource>> plain_segment(
    std::unique_ptr<session::ByteSource> file);

}  // namespace orrery::api
