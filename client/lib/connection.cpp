// A client's connection to a server: commands out, snapshots and events in.
#include "client/lib/connection.h"

#include <algorithm>

#include "common/core/limits.h"

namespace orrery::client {

Connection::Connection(net::NetEnvironment& environment, const net::ConnectToken& token,
                       net::Nanoseconds now, bool events, Follower* follower)
    : endpoint_(environment, token, now, events,
                follower ? codec::message::Mode::follow : codec::message::Mode::plain),
      follower_(follower) {}

const Snapshot* Connection::receive(const net::Address& from, Bytes datagram,
                                    net::Nanoseconds now) {
  ++counters_.datagrams_received;
  counters_.bytes_received += datagram.size();
  events_.clear();
  answer_.reset();
  const auto said = endpoint_.receive(from, datagram, now);
  if (!said) return nullptr;
  if (said->type == net::MessageType::snapshot) return take_snapshot(said->message);
  if (said->type == net::MessageType::reliable) {
    acknowledge(endpoint_.commands_received());
    if (follower_) {
      follow(now);
    } else {
      take_messages();
    }
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
  acknowledge(part_.report.input);
  margin_.add(part_.report.margin);
  return snapshots_.insert(part_);
}

// Takes the reliable messages that can now be read, in order: the scene, unless the server does not
// send it, and then events.
void Connection::take_messages() {
  while (const auto message = endpoint_.next_message()) {
    if (endpoint_.welcome().scene_bytes != 0 && !scene_) {
      take_scene(*message);
    } else {
      take_events(*message);
    }
  }
}

void Connection::take_scene(Bytes message) {
  Result<Scene> scene = session::decode_scene_message(message);
  if (!scene) {
    ++counters_.malformed;
    return;
  }
  scene_ = std::move(scene.value());
}

// Takes a message with events. It has the number of its first event. If that is not the next
// number, the server has dropped the events between.
void Connection::take_events(Bytes message) {
  codec::message::Events& events = events_.emplace_back();
  const bool sound =
      codec::decode_events(message, events) && events.first >= next_event_.value_or(0);
  if (!sound) {
    events_.pop_back();
    ++counters_.malformed;
    return;
  }
  counters_.events += events.events.size();
  counters_.events_missed += events.first - next_event_.value_or(events.first);
  next_event_ = events.first + events.events.size();
}

void Connection::follow(net::Nanoseconds now) {
  const bool matched = !follower_->mismatch();
  while (const auto message = endpoint_.next_message()) follower_->take(*message);
  if (follower_->error()) return disconnect(now);
  if (!matched || !follower_->mismatch() || !connected()) return;
  const auto mismatch = session::encode_mismatch(*follower_->mismatch());
  endpoint_.queue_reliable(std::make_shared<const std::vector<std::uint8_t>>(mismatch));
}

std::uint32_t Connection::cast_ray(const Vec3& origin, const Vec3& along, net::Nanoseconds now) {
  ORRERY_ASSERT(connected());
  message_.clear();
  codec::encode(codec::message::Query{++last_query_, origin, along}, message_);
  endpoint_.send(net::MessageType::query, message_, now);
  return last_query_;
}

// Removes acknowledged commands. Ignores acknowledgements of commands that were never given.
void Connection::acknowledge(Sequence sequence) {
  if (sequence <= acknowledged_ || sequence > last_) return;
  acknowledged_ = sequence;
  std::erase_if(unacknowledged_, [&](const codec::message::TimedCommand& c) {
    return c.command.sequence <= sequence;
  });
}

bool Connection::command(const CommandPayload& payload, Tick tick) {
  ORRERY_ASSERT(connected());
  if (unacknowledged_.size() == limits::kCommandsQueuedMax) return false;
  ++last_.value;
  unacknowledged_.push_back({tick, {endpoint_.welcome().client, last_, payload}});
  ++counters_.commands;
  fresh_ = true;
  return true;
}

void Connection::update(net::Nanoseconds now) {
  if (connected()) send_commands(now);
  endpoint_.update(now);
}

// Sends all unacknowledged commands: at once if one of them is new, otherwise once per server tick.
void Connection::send_commands(net::Nanoseconds now) {
  if (unacknowledged_.empty()) return;
  const net::Nanoseconds interval = net::kSecond / endpoint_.welcome().tick_rate;
  if (!fresh_ && now - commands_sent_at_ < interval) return;
  message_.clear();
  codec::encode_input(unacknowledged_, message_);
  endpoint_.send(net::MessageType::input, message_, now);
  commands_sent_at_ = now;
  fresh_ = false;
}

}  // namespace orrery::client
