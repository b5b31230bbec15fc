// A client's connection to a server: commands out, snapshots and events in.
#include "client/lib/connection.h"

#include <algorithm>

#include "common/core/limits.h"
#include "common/net/timing.h"

namespace orrery::client {
namespace {

// Returns the time after which unacknowledged commands are sent again. A silent server may be
// paused, and its socket has room for few datagrams. REQUIRES: the endpoint is connected.
net::Nanoseconds resend_interval(const net::ClientEndpoint& endpoint, net::Nanoseconds now) {
  const net::Nanoseconds tick = net::kSecond / endpoint.welcome().tick_rate;
  return endpoint.is_silent(now) ? std::max(tick, net::kKeepAliveInterval) : tick;
}

}  // namespace

Connection::Connection(net::NetEnvironment& environment, const net::ConnectToken& token,
                       net::Nanoseconds now, bool events, Follower* follower, bool delta)
    : endpoint_(environment, token, now, events,
                follower ? codec::message::Mode::follow
                : delta  ? codec::message::Mode::delta
                         : codec::message::Mode::plain),
      follower_(follower),
      wants_delta_(delta && !follower),
      messages_(follower, events) {}

const Snapshot* Connection::receive(const net::Address& from, Bytes datagram, net::Nanoseconds now,
                                    std::uint32_t route) {
  ++counters_.datagrams_received;
  counters_.bytes_received += datagram.size();
  messages_.forget();
  answer_.reset();
  const auto said = endpoint_.receive(from, datagram, now, route);
  if (!said) return nullptr;
  if (said->type == net::MessageType::snapshot) return take_snapshot(said->message);
  if (said->type == net::MessageType::delta) return take_frame(said->message);
  if (said->type == net::MessageType::reliable) {
    note(endpoint_.take_report());
    take_messages(now);
    return nullptr;
  }
  answer_ = codec::decode_answer(said->message);
  if (!answer_) ++counters_.malformed;
  return nullptr;
}

const Snapshot* Connection::take_snapshot(Bytes message) {
  if (!codec::decode_snapshot_part(message, part_)) {
    ++counters_.malformed;
    return nullptr;
  }
  // All parts of a snapshot have the same report, so only the first part counts.
  if (part_.tick > reported_.tick) {
    reported_.tick = part_.tick;
    note(part_.report);
  }
  return snapshots_.insert(part_);
}

const Snapshot* Connection::take_frame(Bytes message) {
  if (!wants_delta_) return nullptr;
  if (!delta_) delta_ = std::make_unique<DeltaReceiver>(endpoint_.welcome());
  const Snapshot* const frame = delta_->take(message);
  if (delta_->report()) note(*delta_->report());
  return frame == nullptr ? nullptr : snapshots_.insert(*frame);
}

void Connection::take_messages(net::Nanoseconds now) {
  const bool matched = follower_ && !follower_->mismatch();
  while (const auto message = endpoint_.next_message()) {
    messages_.take(*message, endpoint_.welcome().client, commands_.given());
  }
  const MessageCounters before = std::exchange(counters_.messages, messages_.counters());
  counters_.malformed += counters_.messages.malformed - before.malformed;
  if (!follower_) return;
  if (follower_->error()) return disconnect(now);
  if (!matched || !follower_->mismatch() || !connected()) return;
  const auto mismatch = session::encode_mismatch(*follower_->mismatch());
  endpoint_.queue_reliable(std::make_shared<const std::vector<std::uint8_t>>(mismatch));
}

codec::message::Query Connection::cast_ray(const Vec3& origin, const Vec3& along,
                                           net::Nanoseconds now) {
  ORRERY_ASSERT(connected());
  const codec::message::Query query{++last_query_, origin, along};
  message_.clear();
  codec::encode(query, message_);
  endpoint_.send(net::MessageType::query, message_, now);
  return query;
}

void Connection::note(const codec::CommandReport& report) {
  commands_.acknowledge(report.input);
  reported_.margin.add(report.margin);
}

bool Connection::command(const CommandPayload& payload, Tick tick) {
  ORRERY_ASSERT(connected());
  if (!commands_.add(endpoint_.welcome().client, payload, tick)) return false;
  ++counters_.commands;
  return true;
}

void Connection::update(net::Nanoseconds now) {
  if (connected() && commands_.is_due(resend_interval(endpoint_, now), now)) {
    message_.clear();
    commands_.encode(now, message_);
    endpoint_.send(net::MessageType::input, message_, now);
  }
  std::optional<Tick> ack;
  if (connected() && delta_) ack = delta_->next_ack(now);
  if (connected() && !wants_delta_ && !follower_) ack = snapshots_.next_ack(now);
  if (ack) {
    message_.clear();
    codec::encode_frame_ack(*ack, message_);
    endpoint_.send(net::MessageType::frame_ack, message_, now);
  }
  // A server with a lasting key says after a restart that it lost the connection. One with a fresh
  // key (account 0) cannot, so its silence may be a restart.
  const bool is_told = connected() && endpoint_.welcome().account != 0;
  // A command that was acknowledged may still wait at the server for its tick.
  endpoint_.update(now, is_told && commands_.given().value > 0);
}

}  // namespace orrery::client
