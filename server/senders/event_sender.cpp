// Packs events into messages and queues them for clients.
#include "server/senders/event_sender.h"

#include <algorithm>
#include <span>

#include "common/codec/event_codec.h"
#include "common/core/limits.h"

namespace orrery::server {
namespace {

// Limits for one tick: messages with events, and datagrams for one client. Events beyond
// kMessagesPerTick messages are left out. Several datagrams are needed when many bodies collide at
// once; with one, the events would arrive late.
constexpr std::size_t kMessagesPerTick = 8;
constexpr std::size_t kDatagramsPerTick = 8;

auto empty_message() {
  auto message = std::make_shared<std::vector<std::uint8_t>>();
  message->reserve(limits::kMessageBytesMax);
  return message;
}

}  // namespace

EventSender::EventSender(Clients& clients)
    : clients_(clients), messages_(net::kFragmentsToListener) {
  listeners_.reserve(limits::kClientsMax);
}

void EventSender::join(ClientId client) {
  // Allocates here, so that ticks do not.
  for (Buffer& message : messages_) {
    if (!message) message = empty_message();
  }
  listeners_.insert(std::upper_bound(listeners_.begin(), listeners_.end(), client), client);
}

void EventSender::leave(ClientId client) { std::erase(listeners_, client); }

void EventSender::send(net::Nanoseconds now) {
  take_tick();
  for (const ClientId client : listeners_) {
    clients_.endpoint.send_reliable_within_budget(client, clients_.inbox.acknowledged(client),
                                                  kDatagramsPerTick, now);
  }
}

void EventSender::take_tick() {
  const Events& events = clients_.world.events();
  const std::span<const WorldEvent> list(events.list);
  const std::size_t told =
      listeners_.empty() ? 0 : std::min(list.size(), kMessagesPerTick * codec::kEventsPerMessage);
  for (std::size_t i = 0; i < told; i += codec::kEventsPerMessage) {
    const std::size_t size = std::min(codec::kEventsPerMessage, told - i);
    Buffer& message = messages_[next_++ % messages_.size()];
    if (message.use_count() > 1) message = empty_message();
    message->clear();
    codec::encode_events(clients_.world.tick(), so_far_ + i, list.subspan(i, size), *message);
    for (const ClientId client : listeners_) {
      if (clients_[client].link.sender().ready()) {
        clients_.endpoint.queue_reliable(client, message);
      } else {
        left_out_ += size;
      }
    }
  }
  const std::uint64_t all = list.size() + events.left_out;
  left_out_ += listeners_.size() * (all - told);
  so_far_ += all;
}

}  // namespace orrery::server
