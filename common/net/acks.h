// Owns the sequences of messages: the numbers of ours, and which of the other side came.
#pragma once

#include <cstdint>

#include "common/net/payload.h"

namespace orrery {

// One side of one connection. Sequences count on through 2^32.
class Acks {
 public:
  // A message has come. What is older than the 32 before the newest is not remembered.
  void receive(std::uint32_t sequence);

  // Numbers the next message of ours and says in it what has come.
  void stamp(PayloadHeader& header);
  // The number that it will have.
  std::uint32_t next() const { return sent_ + 1 == 0 ? 1 : sent_ + 1; }

 private:
  std::uint32_t sent_ = 0;
  std::uint32_t newest_ = 0;  // 0: none has come
  std::uint32_t bits_ = 0;    // bit i: newest_ - 1 - i has come
};

}  // namespace orrery
