// Declares what the C interface needs from its machine. This folder has it for programs, and
// client/web/core for a page.
#pragma once

#include <memory>

#include "client/lib/client.h"
#include "common/core/result.h"
#include "common/session/byte_source.h"

namespace orrery::api {

// A client that has a socket.
struct SocketClient {
  virtual ~SocketClient() = default;

  // Returns the client, for all else.
  virtual client::Client& client() = 0;
  // Returns the time of the clock that the client uses.
  virtual net::Nanoseconds now() const = 0;
  // Receives and sends all that is due.
  virtual void update() = 0;
  // Waits for a datagram, at most `wait` and at most a thirtieth of a second. Then does the same,
  // whether one arrived or not.
  virtual void wait(net::Nanoseconds wait) = 0;
};

// Returns the cipher, the random bits and the calendar of a client without a socket.
client::ClientEnvironment client_environment();

// Returns a source of the plain bytes of a segment in `file`, which may be packed. A page cannot
// unpack it, and gets an Error.
Result<std::unique_ptr<session::ByteSource>> plain_segment(
    std::unique_ptr<session::ByteSource> file);

}  // namespace orrery::api
