// Implements one side of a connection: the part that client and server share.
#include "common/net/channel/link.h"

#include <utility>

#include "common/core/bytes.h"
#include "common/core/limits.h"

namespace orrery::net {
namespace {

bool is_handshake(PacketType type) {
  return type == PacketType::denied || type == PacketType::challenge;
}

}  // namespace

void Link::move_to(const Address& address) {
  ORRERY_ASSERT(address.carrier == address_.carrier);
  address_ = address;
  if (messages_.next() == 1) {
    window_ = ReplayWindow{};
  } else {
    path_.change(messages_.next() - 1);
  }
}

std::variant<Bytes, Drop> Link::open(const PacketSealer& sealer, const PacketPrefix& prefix,
                                     Bytes datagram, std::span<std::uint8_t> text,
                                     const std::function<bool(Bytes)>& accepts) {
  ORRERY_ASSERT(text.size() >= kPacketBytesMax);
  const bool is_counted = !is_handshake(prefix.type);
  if (is_counted && !window_.is_new(prefix.sequence)) return Drop::repeated;
  const auto opened = sealer.open(keys_.receive, prefix, datagram, text, address_.carrier);
  if (!opened) return Drop::impostor;
  if (accepts && !accepts(*opened)) return Drop::malformed;
  if (is_counted) window_.mark(prefix.sequence);
  return *opened;
}

bool Link::record(const PayloadHeader& header, Nanoseconds now) {
  acks_.receive(header.sequence);
  const MessageSequences::Claim claim = messages_.judge(header);
  if (claim != MessageSequences::Claim::sound) return claim == MessageSequences::Claim::nothing;
  path_.acknowledged(header.ack, header.ack_bits, messages_.skipped(header.ack), now);
  if (channel_) channel_->sender.acknowledged(header.ack, header.ack_bits);
  return true;
}

void Link::seal(const PacketSealer& sealer, PacketType type, Bytes text, Nanoseconds now,
                std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(!is_handshake(type) && type != PacketType::request);
  const std::size_t before = out.size();
  sealer.seal(keys_.send, type, sequences_.take(), text, out, address_.carrier);
  bytes_sent_ += out.size() - before;
  last_sent_ = now;
}

void Link::append_header(MessageType type, std::size_t message_bytes, NetEnvironment& environment,
                         Nanoseconds now, std::vector<std::uint8_t>& payload) {
  ORRERY_ASSERT(message_bytes <= limits::kMessageBytesMax);
  PayloadHeader header{.type = type, .sequence = messages_.take(environment)};
  acks_.stamp(header);
  path_.sent(header.sequence, now);
  if (address_.carrier == Carrier::udp) {
    const std::size_t packet = next_packet_bytes(kPayloadHeaderBytes + message_bytes);
    path_.datagrams().sent(header.sequence, packet, now);
  }
  encode_payload_header(header, payload);
}

bool Link::write_reliable(const codec::CommandReport& report, Nanoseconds now,
                          std::vector<std::uint8_t>& message) {
  message.clear();
  ByteWriter writer(message);
  writer.varint(report.input.value);
  writer.varint(report.margin.to_varint());
  const std::size_t room = limits::kMessageBytesMax - message.size();
  return channel_ && channel_->sender.append_due(room, messages_.next(), now, message);
}

void Link::enable(std::unique_ptr<ReliableChannel> channel) {
  ORRERY_ASSERT(channel && !channel_);
  channel_ = std::move(channel);
}

void Link::update(Nanoseconds now) {
  if (channel_) channel_->sender.update(path_, now);
}

}  // namespace orrery::net
