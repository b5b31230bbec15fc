// Numbers outgoing messages and acknowledges incoming ones.
#pragma once

#include <cstdint>

#include "common/net/environment.h"
#include "common/net/packet/payload.h"

namespace orrery::net {

// The sequence numbers of one side of one connection. They wrap around after 2^32 - 1 and skip 0.
// Acknowledgements travel in the header of every message. A side that has nothing else to send
// counts the messages that wait for an acknowledgement, to decide when to send one by itself.
class Acks {
 public:
  // Records that a message arrived. Ignores sequences more than 32 before the newest.
  void receive(std::uint32_t sequence);

  // Gives the next outgoing message its sequence, and acknowledges the newest message that arrived
  // and those of the 32 before it that arrived.
  void stamp(PayloadHeader& header);
  // Returns the sequence that the next stamp() will assign.
  std::uint32_t next() const { return sent_ + 1 == 0 ? 1 : sent_ + 1; }

  // Counts a message that waits for an acknowledgement until the next stamp().
  void owe(Nanoseconds now) {
    if (owed_++ == 0) owed_since_ = now;
  }
  // Returns the number of messages that wait.
  std::uint32_t owed() const { return owed_; }
  // Returns the time for which the first of them has waited, or 0 if none waits.
  Nanoseconds delay(Nanoseconds now) const { return owed_ == 0 ? 0 : now - owed_since_; }

 private:
  std::uint32_t sent_ = 0;
  std::uint32_t newest_ = 0;  // newest sequence received; 0: none yet
  std::uint32_t bits_ = 0;    // bit i: newest_ - 1 - i was received
  std::uint32_t owed_ = 0;
  Nanoseconds owed_since_ = 0;
};

}  // namespace orrery::net
