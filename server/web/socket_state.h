// Closes a TCP socket, sets its options, looks at its first input, and asks the kernel how much of
// its output has left.
#pragma once

#include <cstdint>
#include <utility>

namespace orrery::server::web {

// A socket that is closed at the end, outside of the loop.
class OwnedSocket {
 public:
  // -1: none.
  explicit OwnedSocket(int descriptor) : descriptor_(descriptor) {}
  OwnedSocket(OwnedSocket&& other) noexcept : descriptor_(other.release()) {}
  OwnedSocket& operator=(OwnedSocket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~OwnedSocket();

  int descriptor() const { return descriptor_; }
  // Returns the socket, which the caller closes.
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

// Sends small writes at once (TCP_NODELAY). Resends lost segments of a connection with little data
// at a constant interval instead of a doubling one (Linux, tcp-thin).
void set_stream_options(int descriptor);

// The begin of the input of a socket: nothing yet, a request for /healthz, or something else.
enum class FirstInput { none, health, other };

// Returns the begin of the input of a socket that has read nothing.
FirstInput first_input(int descriptor);

// Returns true if all input was read and the other side sends no more.
bool has_ended(int descriptor);

// Returns true if a socket that has read nothing will never have a request: the other side has
// closed the connection, or has ended its output inside the header.
bool is_gone(int descriptor);

// Returns the bytes that the kernel has not sent yet, or 0 if it cannot say. Bytes that were sent
// but not acknowledged do not count.
std::uint64_t unsent_bytes(int descriptor);

// The bytes that the other side has acknowledged since the connection began, and whether these are
// all that were sent. Defaults if the kernel cannot say.
struct Acknowledged {
  std::uint64_t bytes = 0;
  bool all = true;
};
Acknowledged acknowledged(int descriptor);

}  // namespace orrery::server::web
