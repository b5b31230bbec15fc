// Clients with a valid token that lie about what they have received.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/codec/delta/delta_message.h"
#include "common/net/client_endpoint.h"
#include "common/net/packet/packet.h"
#include "common/net/packet/payload.h"

namespace orrery::test {

// A client that reads no message once it has joined. It acknowledges, or not.
class BlindReader final : net::NetEnvironment {
 public:
  enum class Manner : std::uint8_t {
    silent,        // acknowledges nothing
    invents,       // acknowledges messages that the server has not sent yet
    guesses,       // acknowledges what was probably sent: nine messages for ten datagrams
    guesses_most,  // the same, but leaves out one of 25
  };

  // REQUIRES: the environment outlives the reader.
  BlindReader(net::NetEnvironment& environment, const net::ConnectToken& token,
              net::Nanoseconds now, Manner manner)
      : environment_(environment), token_(token), manner_(manner), endpoint_(*this, token, now) {}

  // Takes a datagram before the client has joined, and then only counts it.
  void receive(const net::Address& from, Bytes datagram, net::Nanoseconds now) {
    if (!joined()) endpoint_.receive(from, datagram, now);
    if (joined()) ++arrived_, bytes_ += datagram.size();
  }

  // Sends an acknowledgement. Call it 60 times a second.
  void update(net::Nanoseconds now) {
    if (!joined()) return endpoint_.update(now);
    net::PayloadHeader header{.type = net::MessageType::reliable, .sequence = ++sent_};
    header.ack = manner_ == Manner::silent    ? 0
                 : manner_ == Manner::invents ? 1000 + 40 * sent_
                                              : arrived_ * 9 / 10;
    if (header.ack != 0) {
      header.ack_bits = header.ack > 32 ? 0xffffffff : (1u << (header.ack - 1)) - 1;
    }
    if (manner_ == Manner::guesses_most) header.ack_bits &= ~(1u << (7 + sent_ % 25));
    std::vector<std::uint8_t> text;
    net::encode_payload_header(header, text);
    text.insert(text.end(), {0, 0});  // the report about commands: none
    std::vector<std::uint8_t> packet;
    net::PacketSealer(environment_.cipher(), token_.head.protocol_id)
        .seal(token_.client_to_server, net::PacketType::payload, next_, text, packet);
    send(endpoint_.server(), packet);
  }

  const net::ClientEndpoint& endpoint() const { return endpoint_; }
  bool joined() const { return endpoint_.state() == net::ClientState::connected; }
  // Returns true if some of its acknowledgements are false.
  bool lies() const { return manner_ != Manner::silent; }
  // Return the number of the datagrams that arrived after the client had joined, and their bytes.
  std::uint32_t datagrams() const { return arrived_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  // The environment of the endpoint. Packets of this client continue its sequences.
  void send(const net::Address& to, Bytes datagram) override {
    const auto prefix = net::decode_prefix(datagram);
    if (prefix) next_ = prefix->sequence + 1;
    environment_.send(to, datagram);
  }
  std::uint64_t random() override { return environment_.random(); }
  std::uint64_t keyed_hash(Bytes bytes) const override { return environment_.keyed_hash(bytes); }
  const net::Cipher& cipher() const override { return environment_.cipher(); }
  std::uint64_t unix_seconds() const override { return environment_.unix_seconds(); }

  net::NetEnvironment& environment_;
  const net::ConnectToken token_;
  const Manner manner_;
  std::uint64_t next_ = 0;  // sequence of the next packet
  net::ClientEndpoint endpoint_;
  std::uint32_t sent_ = 0;
  std::uint32_t arrived_ = 0;
  std::uint64_t bytes_ = 0;
};

// A client of mode delta that decodes nothing. It acknowledges messages as it should. Its
// acknowledgements of frames follow its manner.
class FrameReader {
 public:
  enum class Manner : std::uint8_t {
    honest,     // acknowledges the newest frame
    keeps_one,  // acknowledges the newest until its `number` frames arrived, then the same for ever
    lags,       // acknowledges the frame that arrived `number` frames before the newest
  };

  // REQUIRES: the environment outlives the reader.
  FrameReader(net::NetEnvironment& environment, const net::ConnectToken& token,
              net::Nanoseconds now, Manner manner, std::uint32_t number = 0)
      : endpoint_(environment, token, now, false, codec::message::Mode::delta),
        manner_(manner),
        number_(number) {}

  void receive(const net::Address& from, Bytes datagram, net::Nanoseconds now) {
    const auto message = endpoint_.receive(from, datagram, now);
    while (endpoint_.next_message()) continue;  // the scene
    if (!message || message->type != net::MessageType::delta) return;
    const auto part = codec::decode_delta(message->message);
    if (!part || part->head.tick <= newest()) return;
    const Tick baseline = part->head.baseline;
    if (baseline.value != 0) {
      oldest_baseline_ = std::max(oldest_baseline_, part->head.tick.value - baseline.value);
    }
    ticks_.push_back(part->head.tick);
  }

  // Sends an acknowledgement 19 times a second. Call it once a tick.
  void update(net::Nanoseconds now) {
    endpoint_.update(now);
    const bool connected = endpoint_.state() == net::ClientState::connected;
    if (!connected || now - told_ < net::kSecond / 19) return;
    told_ = now;
    std::vector<std::uint8_t> message;
    codec::encode_frame_ack(kept(), message);
    endpoint_.send(net::MessageType::frame_ack, message, now);
  }

  const net::ClientEndpoint& endpoint() const { return endpoint_; }
  // Returns the number of frames that arrived.
  std::size_t frames() const { return ticks_.size(); }
  // Returns the most ticks between a frame and its baseline.
  std::uint64_t oldest_baseline() const { return oldest_baseline_; }

 private:
  Tick newest() const { return ticks_.empty() ? Tick{} : ticks_.back(); }
  // Returns the frame to acknowledge; 0 if there is none.
  Tick kept() const {
    const std::size_t last = ticks_.size();
    if (last == 0) return {};
    switch (manner_) {
      case Manner::honest:
        break;
      case Manner::keeps_one:
        return ticks_[std::min<std::size_t>(last - 1, number_)];
      case Manner::lags:
        return ticks_[last - 1 - std::min<std::size_t>(last - 1, number_)];
    }
    return newest();
  }

  net::ClientEndpoint endpoint_;
  const Manner manner_;
  const std::uint32_t number_;
  std::vector<Tick> ticks_;  // of the frames that arrived
  std::uint64_t oldest_baseline_ = 0;
  net::Nanoseconds told_ = 0;
};

}  // namespace orrery::test
