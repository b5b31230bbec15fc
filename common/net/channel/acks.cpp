// Acknowledges incoming messages.
#include "common/net/channel/acks.h"

namespace orrery::net {

void Acks::receive(std::uint32_t sequence) {
  if (sequence == 0) return;
  const std::uint32_t ahead = sequence - newest_;
  if (newest_ == 0 || is_later(sequence, newest_)) {
    const bool shifts = newest_ != 0 && ahead <= 32;
    const std::uint32_t older = shifts && ahead < 32 ? bits_ << ahead : 0;
    bits_ = shifts ? older | 1u << (ahead - 1) : 0;
    newest_ = sequence;
    return;
  }
  const std::uint32_t age = newest_ - sequence;  // 0: a repeat of the newest
  if (age >= 1 && age <= 32) bits_ |= 1u << (age - 1);
}

void Acks::stamp(PayloadHeader& header) {
  header.ack = newest_;
  header.ack_bits = bits_;
  owed_ = 0;
}

}  // namespace orrery::net
