// Implements one side of a connection: the part that client and server share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "common/codec/command_report.h"
#include "common/core/ids.h"
#include "common/net/channel/acks.h"
#include "common/net/channel/message_sequences.h"
#include "common/net/channel/packet_sequences.h"
#include "common/net/channel/path_estimator.h"
#include "common/net/channel/reliable_channel.h"
#include "common/net/channel/replay_window.h"
#include "common/net/drops.h"
#include "common/net/environment.h"
#include "common/net/packet/packet.h"
#include "common/net/packet/payload.h"

namespace orrery::net {

// The keys of one side of a connection. The receive key of one side is the send key of the other.
struct LinkKeys {
  Key receive{};
  Key send{};
};

// One side of a connection: address, keys, sequences of packets and messages, replay window,
// acknowledgements, path estimates, reliable messages, and the times of the last packets.
//
// A received datagram takes these steps. The first that fails ends them:
//
//   decode_prefix()   type and sequence                      packet.h
//   open()            replay window, then seal
//   decode_payload()  type of the message, acknowledgements  payload.h
//   record()          arrival of the message, and its acknowledgements
class Link {
 public:
  Link() = default;  // a link without a connection
  Link(const Address& address, const LinkKeys& keys, PacketSequences sequences, Nanoseconds now)
      : address_(address), keys_(keys), sequences_(sequences), last_received_(now) {}

  // Returns the address of the other side.
  const Address& address() const { return address_; }
  // Sends to another address from now on. If no message was sent yet, the link starts again with
  // another server of the token. Otherwise the connection continues over another path: losses and
  // round trips of the old path no longer count. Packet sequences continue in both cases, because
  // no sequence may repeat under one key.
  void move_to(const Address& address);

  // --- Receiving ---

  // Decrypts a packet into `text`. Returns the plaintext, or the reason to drop the packet:
  // Drop::repeated or Drop::impostor. A packet with a valid seal is marked as received in the
  // replay window. Denials and challenges are not marked, because they have sequences of another
  // range (from PacketSequences::kEnd on). If `accepts` refuses the plaintext, the packet is not
  // marked either, and the reason is Drop::malformed: it may be a copy of one that is to come.
  //
  // REQUIRES: decode_prefix(datagram) returned `prefix`; `text` has room for kPacketBytesMax bytes.
  std::variant<Bytes, Drop> open(const PacketSealer& sealer, const PacketPrefix& prefix,
                                 Bytes datagram, std::span<std::uint8_t> text,
                                 const std::function<bool(Bytes)>& accepts = {});
  // Records that a message arrived, and the acknowledgements in its header. Returns false if the
  // header acknowledges a message that was never sent: the other side lies, and the connection must
  // end.
  [[nodiscard]] bool record(const PayloadHeader& header, Nanoseconds now);
  // Records that the other side is alive. silence() counts from this time.
  void hear(Nanoseconds now) { last_received_ = now; }
  // Returns the time since the last call of hear(), or since the link was made.
  Nanoseconds silence(Nanoseconds now) const { return now - last_received_; }

  // --- Sending ---

  // Appends a sealed packet to `out`.
  void seal(const PacketSealer& sealer, PacketType type, Bytes text, Nanoseconds now,
            std::vector<std::uint8_t>& out);
  // Appends the header of the next message to `payload`: its sequence, and the acknowledgement of
  // the newest received message and the 32 before it. The caller appends the message, which has
  // `message_bytes` bytes, and seals the payload as the next packet. Sequences are skipped at
  // random, from the environment's randomness.
  void append_header(MessageType type, std::size_t message_bytes, NetEnvironment& environment,
                     Nanoseconds now, std::vector<std::uint8_t>& payload);
  // Replaces the content of `message` by a message of type reliable: the report about the commands
  // of the other side, then due fragments. Returns false if no fragment can be sent now. Then
  // `message` contains only the report.
  bool write_reliable(const codec::CommandReport& report, Nanoseconds now,
                      std::vector<std::uint8_t>& message);
  // Returns the bytes of the next packet if its plaintext has `text_bytes` bytes.
  std::size_t next_packet_bytes(std::size_t text_bytes) const {
    return packet_bytes(sequences_.next(), text_bytes);
  }
  // Notes that a datagram was sent outside the link: a request, which is not sealed.
  void note_sent(Nanoseconds now) { last_sent_ = now; }
  // Returns the time since the last packet was sent.
  Nanoseconds quiet(Nanoseconds now) const { return now - last_sent_; }
  // Returns the bytes of all packets sealed so far, without headers of UDP and IP.
  std::uint64_t bytes_sent() const { return bytes_sent_; }

  // --- Acknowledgements, path, reliable messages ---

  // Returns the acknowledgements that this side sends.
  Acks& acks() { return acks_; }
  // Return estimates of round trip, jitter, loss and the largest datagram.
  const PathEstimator& path() const { return path_; }
  PathEstimator& path() { return path_; }

  // Enables reliable messages. REQUIRES: not enabled yet.
  void enable(std::unique_ptr<ReliableChannel> channel);
  // Returns true if the connection has reliable messages.
  bool is_reliable() const { return channel_ != nullptr; }
  // Return the sender and the receiver of reliable messages. REQUIRES: is_reliable().
  ReliableSender& sender() { return channel().sender; }
  const ReliableSender& sender() const { return channel().sender; }
  ReliableReceiver& receiver() { return channel().receiver; }
  // Makes fragments that were not acknowledged in time due again.
  void update(Nanoseconds now);

 private:
  ReliableChannel& channel() const {
    ORRERY_ASSERT(is_reliable());
    return *channel_;
  }

  Address address_{};
  LinkKeys keys_{};
  PacketSequences sequences_{};
  ReplayWindow window_{};
  MessageSequences messages_{};
  Acks acks_{};
  PathEstimator path_{};
  std::unique_ptr<ReliableChannel> channel_{};
  Nanoseconds last_received_ = 0;
  Nanoseconds last_sent_ = 0;
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace orrery::net
