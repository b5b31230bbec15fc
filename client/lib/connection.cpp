// Owns redundancy: which commands are said again, and until when.
#include "client/lib/connection.h"

#include <algorithm>

#include "common/core/limits.h"

namespace orrery {

Connection::Connection(NetEnvironment& environment, const Address& server, Nanoseconds now)
    : endpoint_(environment, server, now) {}

const Snapshot* Connection::receive(const Address& from, Bytes datagram, Nanoseconds now) {
  ++counters_.datagrams_received;
  counters_.bytes_received += datagram.size();
  const auto message = endpoint_.receive(from, datagram, now);
  if (!message) return nullptr;
  if (!decode_snapshot_part(*message, part_)) {
    ++counters_.malformed;
    return nullptr;
  }
  acknowledge(part_.input);
  return snapshots_.insert(part_) ? snapshots_.find(part_.tick) : nullptr;
}

// Nobody acknowledges what was not given.
void Connection::acknowledge(Sequence sequence) {
  if (sequence <= acknowledged_ || sequence > last_) return;
  acknowledged_ = sequence;
  std::erase_if(unacknowledged_,
                [&](const message::TimedCommand& c) { return c.command.sequence <= sequence; });
}

bool Connection::command(const CommandPayload& payload, Tick tick) {
  ORRERY_ASSERT(connected());
  if (unacknowledged_.size() == limits::kCommandsQueuedMax) return false;
  ++last_.value;
  unacknowledged_.push_back({tick, {endpoint_.accept().client, last_, payload}});
  ++counters_.commands;
  fresh_ = true;
  return true;
}

void Connection::update(Nanoseconds now) {
  if (connected()) send_commands(now);
  endpoint_.update(now);
}

// What is new goes at once; what is old goes again with every tick of the server.
void Connection::send_commands(Nanoseconds now) {
  if (unacknowledged_.empty()) return;
  const Nanoseconds interval = kSecond / endpoint_.accept().tick_rate;
  if (!fresh_ && now - commands_sent_at_ < interval) return;
  message_.clear();
  encode_input(unacknowledged_, message_);
  endpoint_.send_input(message_, now);
  commands_sent_at_ = now;
  fresh_ = false;
}

}  // namespace orrery
