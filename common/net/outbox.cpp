// Seals the packets of an endpoint and sends them.
#include "common/net/outbox.h"

#include "common/core/limits.h"
#include "common/net/packet/pieces.h"

namespace orrery::net {

Outbox::Outbox(NetEnvironment& environment, const PacketSealer& sealer, std::size_t datagrams_max)
    : environment_(environment), sealer_(sealer), datagrams_max_(datagrams_max) {
  ORRERY_ASSERT(datagrams_max >= 1 && datagrams_max <= limits::kBatchDatagramsMax);
  train_.reserve(datagrams_max * kPacketBytesMax);
  payload_.reserve(kPayloadBytesMax);
  packet_.reserve(kPacketBytesMax);
}

// A shorter datagram ends a train, so nothing fits after it.
bool Outbox::has_room(std::size_t packet_bytes) const {
  ORRERY_ASSERT(!train_.empty());
  const bool ended = train_.size() % size_ != 0;
  return !ended && packet_bytes <= size_ && train_.size() < datagrams_max_ * size_;
}

std::size_t Outbox::append(Link& link, PacketType type, Bytes text, Nanoseconds now) {
  const std::size_t needed = link.next_packet_bytes(text.size());
  ORRERY_ASSERT(train_.empty() || to_ == link.address());
  if (needed > link.path().datagrams().bytes_max() && link.address().carrier == Carrier::udp) {
    return append_pieces(link, type, text, now);
  }
  if (!train_.empty() && !has_room(needed)) flush();
  if (train_.empty()) {
    to_ = link.address();
    size_ = needed;
  }
  const std::size_t before = train_.size();
  link.seal(sealer_, type, text, now, train_);
  ORRERY_ASSERT(train_.size() - before == needed);
  return needed;
}

// No packet follows the pieces in their train, because the last one may be shorter.
std::size_t Outbox::append_pieces(Link& link, PacketType type, Bytes text, Nanoseconds now) {
  flush();
  packet_.clear();
  link.seal(sealer_, type, text, now, packet_);
  const DatagramLimit& limit = link.path().datagrams();
  const Cut cut = cut_of(packet_.size(), limit.bytes_max());
  to_ = link.address();
  size_ = cut.bytes;
  encode_pieces(packet_, cut, limit.drops_larger(), train_);
  const std::size_t bytes = train_.size() + (cut.pieces - 1) * kUdpIpBytes;
  flush();
  return bytes;
}

std::size_t Outbox::append(Link& link, MessageType type, Bytes message, Nanoseconds now) {
  ORRERY_ASSERT(message.size() <= limits::kMessageBytesMax);
  payload_.clear();
  link.append_header(type, message.size(), environment_, now, payload_);
  payload_.insert(payload_.end(), message.begin(), message.end());
  return append(link, PacketType::payload, payload_, now);
}

void Outbox::flush() {
  if (train_.empty()) return;
  ORRERY_ASSERT(size_ >= 1 && size_ <= kPacketBytesMax);
  ORRERY_ASSERT(train_.size() <= datagrams_max_ * size_);
  datagrams_sent_ += (train_.size() + size_ - 1) / size_;
  bytes_sent_ += train_.size();
  if (train_.size() == size_) {
    environment_.send(to_, train_);
  } else {
    environment_.send_train(to_, train_, size_);
  }
  train_.clear();
}

}  // namespace orrery::net
