// Owns packet sequences: the numbers of our packets, and which of the other side came.
#pragma once

#include <cstdint>

#include "common/net/packet.h"

namespace orrery {

// One side of one connection. Sequences count on through 2^32.
class Acks {
 public:
  // True the first time a packet comes whose sequence is not older than the 32 before the newest;
  // duplicates, and what is older, is false and changes nothing.
  bool receive(std::uint32_t sequence);

  // Numbers the next packet of ours and says in it what has come.
  void stamp(PacketHeader& header);

 private:
  std::uint32_t sent_ = 0;
  std::uint32_t newest_ = 0;  // 0: none has come
  std::uint32_t bits_ = 0;    // bit i: newest_ - 1 - i has come
};

}  // namespace orrery
