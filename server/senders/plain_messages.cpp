// Sends reliable messages to clients of mode plain: the scene once, then the values, notices
// and events of each tick.
#include "server/senders/plain_messages.h"

#include <algorithm>
#include <span>
#include <utility>

#include "common/codec/event_codec.h"
#include "common/core/limits.h"

namespace orrery::server {
namespace {

// Limits for one tick: messages with events, and datagrams for one client. Events beyond
// kMessagesPerTick messages are left out. Many events arise when many bodies collide at once. If a
// client got only one datagram a tick, these events would arrive late.
constexpr std::size_t kMessagesPerTick = 8;
constexpr std::size_t kDatagramsPerTick = 8;

auto empty_message() {
  auto message = std::make_shared<std::vector<std::uint8_t>>();
  message->reserve(limits::kMessageBytesMax);
  return message;
}

void insert(std::vector<ClientId>& clients, ClientId client) {
  clients.insert(std::upper_bound(clients.begin(), clients.end(), client), client);
}

}  // namespace

std::uint32_t scene_bytes_to_plain(const net::SharedBytes& scene_message) {
  const std::size_t size = scene_message->size();
  return size > net::kBytesToPlainMax ? 0 : static_cast<std::uint32_t>(size);
}

PlainMessages::PlainMessages(Clients& clients, net::SharedBytes scene_message)
    : clients_(clients),
      scene_message_(std::move(scene_message)),
      values_(clients),
      messages_(net::kFragmentsToPlain) {
  plain_.reserve(limits::kClientsMax);
  listeners_.reserve(limits::kClientsMax);
}

void PlainMessages::join(ClientId client) {
  insert(plain_, client);
  if (scene_bytes_to_plain(scene_message_) != 0) {
    clients_.endpoint.queue_reliable(client, scene_message_);
  }
  if (!clients_.world.controls().values.empty()) values_.join(client);
  if (!clients_[client].events) return;
  // Allocates the messages here, so that a tick allocates only if a slow client still holds the
  // oldest message.
  for (Buffer& message : messages_) {
    if (!message) message = empty_message();
  }
  insert(listeners_, client);
}

void PlainMessages::leave(ClientId client) {
  std::erase(plain_, client);
  std::erase(listeners_, client);
}

void PlainMessages::send(net::Nanoseconds now) {
  values_.queue(plain_);
  queue_events();
  for (const ClientId client : plain_) {
    if (clients_[client].link.sender().idle()) continue;
    const std::size_t sent = clients_.endpoint.send_reliable_within_budget(
        client, clients_.inbox.report(client), kDatagramsPerTick, now);
    if (sent != 0) clients_.inbox.reported(client);
  }
}

void PlainMessages::queue_events() {
  const Events& events = clients_.world.events();
  const std::span<const WorldEvent> list(events.list);
  const std::size_t sent =
      listeners_.empty() ? 0 : std::min(list.size(), kMessagesPerTick * codec::kEventsPerMessage);
  for (std::size_t i = 0; i < sent; i += codec::kEventsPerMessage) {
    const std::size_t size = std::min(codec::kEventsPerMessage, sent - i);
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
  left_out_ += listeners_.size() * (all - sent);
  so_far_ += all;
}

}  // namespace orrery::server
