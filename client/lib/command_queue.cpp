// Keeps the commands of a client until the server acknowledges them.
#include "client/lib/command_queue.h"

#include "common/core/limits.h"

namespace orrery::client {

bool CommandQueue::add(ClientId client, const CommandPayload& payload, Tick tick) {
  if (waiting_.size() == limits::kCommandsQueuedMax) return false;
  ++given_.value;
  waiting_.push_back({tick, {client, given_, payload}});
  has_new_ = true;
  return true;
}

void CommandQueue::acknowledge(Sequence sequence) {
  if (sequence <= acknowledged_ || sequence > given_) return;
  acknowledged_ = sequence;
  std::erase_if(waiting_, [&](const codec::message::TimedCommand& c) {
    return c.command.sequence <= sequence;
  });
}

bool CommandQueue::is_due(net::Nanoseconds interval, net::Nanoseconds now) const {
  return !waiting_.empty() && (has_new_ || now - sent_at_ >= interval);
}

void CommandQueue::encode(net::Nanoseconds now, std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(!waiting_.empty());
  codec::encode_input(waiting_, out);
  sent_at_ = now;
  has_new_ = false;
}

}  // namespace orrery::client
