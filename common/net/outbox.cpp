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
  piece_.reserve(kPayloadBytesMax);
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
  const bool is_cut = type == PacketType::payload && link.address().carrier == Carrier::udp;
  if (is_cut && needed > link.path().datagrams().bytes_max()) {
    return append_pieces(link, text, now);
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

std::size_t Outbox::append_pieces(Link& link, Bytes text, Nanoseconds now) {
  const DatagramLimit& limit = link.path().datagrams();
  const Cut cut = cut_of(text.size(), limit.bytes_max());
  std::size_t bytes = (cut.pieces - 1) * kUdpIpBytes;
  for (std::size_t i = 0; i < cut.pieces; ++i) {
    piece_.clear();
    encode_piece(text, cut, i, limit.drops_larger(), piece_);
    bytes += append(link, PacketType::piece, piece_, now);
  }
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
