// Seals the packets of an endpoint and sends them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/core/assert.h"
#include "common/net/channel/link.h"
#include "common/net/environment.h"
#include "common/net/packet/packet.h"
#include "common/net/packet/payload.h"

namespace orrery::net {

// The outgoing packets of an endpoint. Packets for one address form a train: datagrams of one size,
// of which only the last may be shorter. A train leaves in one call of the environment: send(), or
// send_train() if it has several datagrams. append() sends the train and starts the next one when a
// packet does not fit. flush() sends the last train.
//
// Memory is allocated in the constructor only.
class Outbox {
 public:
  // `datagrams_max`: maximum datagrams in a train. REQUIRES: environment and sealer outlive the
  // outbox; 1 <= datagrams_max <= limits::kBatchDatagramsMax.
  Outbox(NetEnvironment& environment, const PacketSealer& sealer, std::size_t datagrams_max);

  // Append a packet, or a message in a packet. A payload that is larger than the limit of the link
  // becomes several packets of type piece. Return the bytes of all packets, and headers of UDP and
  // IP for each but the first.
  // REQUIRES: flush() was called since the last packet to another address.
  std::size_t append(Link& link, PacketType type, Bytes text, Nanoseconds now);
  std::size_t append(Link& link, MessageType type, Bytes message, Nanoseconds now);
  // Sends what was appended.
  void flush();

  // Sends one datagram that belongs to no link. `write(bytes)` appends the datagram to the vector
  // `bytes`. REQUIRES: flush() was called since the last append().
  template <class Write>
  void send(const Address& to, Write write) {
    ORRERY_ASSERT(train_.empty());
    write(train_);
    to_ = to;
    size_ = train_.size();
    flush();
  }

  // Return the traffic since construction. Bytes are without headers of UDP and IP.
  std::uint64_t datagrams_sent() const { return datagrams_sent_; }
  std::uint64_t bytes_sent() const { return bytes_sent_; }

 private:
  bool has_room(std::size_t packet_bytes) const;
  std::size_t append_pieces(Link& link, Bytes text, Nanoseconds now);

  NetEnvironment& environment_;
  const PacketSealer& sealer_;
  const std::size_t datagrams_max_;
  std::vector<std::uint8_t> train_;
  std::size_t size_ = 0;               // bytes of each datagram in train_; the last may be shorter
  Address to_{};                       // destination of the train
  std::vector<std::uint8_t> payload_;  // scratch: a message with its header
  std::vector<std::uint8_t> piece_;    // scratch: a piece of a text
  std::uint64_t datagrams_sent_ = 0;
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace orrery::net
