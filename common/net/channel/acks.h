// Numbers outgoing messages and acknowledges incoming ones.
#pragma once

#include <cstdint>

#include "common/net/packet/payload.h"

namespace orrery::net {

// The sequence numbers of one side of one connection. They wrap around after 2^32 - 1 and skip 0.
class Acks {
 public:
  // Records that a message arrived. Ignores sequences more than 32 before the newest.
  void receive(std::uint32_t sequence);

  // Gives the next outgoing message its sequence, and acknowledges all that arrived.
  void stamp(PayloadHeader& header);
  // Returns the sequence that the next stamp() will assign.
  std::uint32_t next() const { return sent_ + 1 == 0 ? 1 : sent_ + 1; }

 private:
  std::uint32_t sent_ = 0;
  std::uint32_t newest_ = 0;  // newest sequence received; 0: none yet
  std::uint32_t bits_ = 0;    // bit i: newest_ - 1 - i was received
};

}  // namespace orrery::net
