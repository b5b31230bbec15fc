// Sends clients the values of the session, and notices.
#include "server/senders/values.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/codec/value_codec.h"

namespace orrery::server {

// Returns the values that the last tick changed, or nullptr if there are none.
net::SharedBytes Values::changes() const {
  std::shared_ptr<std::vector<std::uint8_t>> message;
  for (const Command& c : clients_.world.applied()) {
    const auto* const set = std::get_if<command::SetValue>(&c.payload);
    if (!set) continue;
    if (!message) {
      message = std::make_shared<std::vector<std::uint8_t>>();
      codec::encode_values_head(clients_.world.tick(), false, *message);
    }
    codec::encode_value(set->key, set->value, *message);
  }
  return message;
}

// Returns all values. Clients that join in different ticks share the message.
const net::SharedBytes& Values::all() {
  if (all_) return all_;
  auto message = std::make_shared<std::vector<std::uint8_t>>();
  codec::encode_values_head(clients_.world.tick(), true, *message);
  for (const NamedValue& v : clients_.world.controls().values) {
    codec::encode_value(v.key, v.value, *message);
  }
  all_ = std::move(message);
  return all_;
}

void Values::queue(std::span<const ClientId> clients) {
  queue_values(clients);
  queue_notices(clients);
}

void Values::queue_values(std::span<const ClientId> clients) {
  const net::SharedBytes changed = changes();
  if (changed) all_.reset();
  for (const ClientId client : clients) {
    if (!behind_[client.value] && !changed) continue;
    if (!clients_[client].link.sender().ready()) {
      behind_[client.value] = true;
      continue;
    }
    clients_.endpoint.queue_reliable(client, behind_[client.value] ? all() : changed);
    behind_[client.value] = false;
  }
}

void Values::queue_notices(std::span<const ClientId> clients) {
  for (const Command& c : clients_.world.applied()) {
    const auto* const tell = std::get_if<command::Tell>(&c.payload);
    if (!tell) continue;
    auto message = std::make_shared<std::vector<std::uint8_t>>();
    codec::encode_notice(clients_.world.tick(), tell->text, *message);
    const auto one = std::equal_range(clients.begin(), clients.end(), tell->client);
    const bool to_all = tell->client == kServer;
    for (const ClientId client : to_all ? clients : std::span(one.first, one.second)) {
      if (clients_[client].link.sender().ready()) {
        clients_.endpoint.queue_reliable(client, message);
      } else {
        ++left_out_;
      }
    }
  }
}

}  // namespace orrery::server
