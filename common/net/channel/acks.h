// Acknowledges incoming messages.
#pragma once

#include <cstdint>

#include "common/net/environment.h"
#include "common/net/packet/payload.h"

namespace orrery::net {

// The acknowledgements that one side of a connection sends, in the header of every message. The
// client also counts the received messages that it has not acknowledged yet. It must acknowledge
// them in time, even if it has nothing else to send.
class Acks {
 public:
  // Records that a message arrived. Ignores 0 and sequences more than 32 before the newest.
  void receive(std::uint32_t sequence);

  // Writes the acknowledgement of the newest received message and the 32 before it into the header
  // of an outgoing message. Sets owed() to 0.
  void stamp(PayloadHeader& header);

  // Counts a received message that the next stamp() must acknowledge.
  void owe(Nanoseconds now) {
    if (owed_++ == 0) owed_since_ = now;
  }
  // Returns the number of owe() calls since the last stamp().
  std::uint32_t owed() const { return owed_; }
  // Returns the time since the first owe() after the last stamp(), or 0 if owed() is 0.
  Nanoseconds delay(Nanoseconds now) const { return owed_ == 0 ? 0 : now - owed_since_; }

 private:
  std::uint32_t newest_ = 0;  // newest sequence received; 0: none yet
  std::uint32_t bits_ = 0;    // bit i: newest_ - 1 - i was received
  std::uint32_t owed_ = 0;
  Nanoseconds owed_since_ = 0;
};

}  // namespace orrery::net
