// Sets the options of a TCP socket, and asks the kernel how much of its output has left.
#pragma once

#include <cstdint>

namespace orrery::server::web {

// Makes small writes leave at once, and lost segments of a thin stream come again after a constant
// time instead of a doubling one (Linux, tcp-thin).
void set_stream_options(int descriptor);

// Returns the bytes that the kernel has not sent yet, or 0 if it cannot say. Bytes that were sent,
// but not acknowledged, do not count.
std::uint64_t unsent_bytes(int descriptor);

// Returns the bytes that the other side has acknowledged since the connection began, and whether it
// has acknowledged all. Returns the defaults if the kernel cannot say.
struct Acknowledged {
  std::uint64_t bytes = 0;
  bool all = true;
};
Acknowledged acknowledged(int descriptor);

}  // namespace orrery::server::web
