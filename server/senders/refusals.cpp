// Sends each client the reasons why commands of it were refused.
#include "server/senders/refusals.h"

#include <memory>

#include "common/core/limits.h"

namespace orrery::server {

Refusals::Refusals(Clients& clients) : clients_(clients), of_(limits::kClientsMax) {
  waiting_.reserve(limits::kClientsMax);
  refused_.reserve(limits::kCommandsPerTickMax);
}

void Refusals::add(const RefusedCommand& command) {
  if (command.client == kServer || !clients_[command.client].joined) return;
  ++counters_.refused;
  Client& client = of_[command.client];
  const std::uint64_t number = client.count++;
  if (client.waiting.size() == codec::kRefusalsPerMessage) {
    ++counters_.left_out;
    return;
  }
  if (client.waiting.empty()) {
    client.first = number;
    waiting_.push_back(command.client);
  }
  client.waiting.push_back({clients_.world.tick(), command.sequence, command.reason});
}

void Refusals::queue() {
  for (const RefusedCommand& command : clients_.inbox.refused()) add(command);
  for (const RefusedCommand& command : refused_) add(command);
  std::erase_if(waiting_, [this](ClientId id) {
    Client& client = of_[id];
    if (client.waiting.empty() || !clients_[id].joined) return true;
    if (!clients_[id].link.sender().ready()) return false;
    auto message = std::make_shared<std::vector<std::uint8_t>>();
    codec::encode_refusals(client.first, client.waiting, *message);
    clients_.endpoint.queue_reliable(id, std::move(message));
    client.waiting.clear();
    return true;
  });
}

}  // namespace orrery::server
