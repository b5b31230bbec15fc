// Implements the sending of the server's side: messages within the budget of a client.
#include <algorithm>
#include <array>
#include <utility>

#include "common/net/server_endpoint.h"

namespace orrery::net {

void ServerEndpoint::refill(ClientId client, Nanoseconds interval, Nanoseconds now) {
  ServerPeer& p = peers_[client];
  ORRERY_ASSERT(p.joined);
  p.budget.refill(p.link.path().take_ack_summary(), interval, now);
}

void ServerEndpoint::send(ClientId client, MessageType type, Bytes message, Nanoseconds now) {
  ServerPeer& p = peers_[client];
  ORRERY_ASSERT(p.joined);
  append(p, type, message, now);
  out_.flush();
}

void ServerEndpoint::send_keep_alive(ClientId client, Nanoseconds now) {
  std::array<std::uint8_t, kKeepAliveBytes> text;
  store_little_endian<4>(text.data(), client.value - 1);  // netcode counts clients from 0
  store_little_endian<4>(text.data() + 4, peers_.capacity());
  append(peers_[client], PacketType::keep_alive, Bytes(text), now);
  out_.flush();
}

void ServerEndpoint::send_snapshot(ClientId client, MessageType type, std::span<const Bytes> parts,
                                   Nanoseconds now) {
  ServerPeer& p = peers_[client];
  ORRERY_ASSERT(p.joined && !parts.empty());
  for (const Bytes part : parts) append(p, type, part, now);
  out_.flush();
}

void ServerEndpoint::queue_reliable(ClientId client, SharedBytes message) {
  ORRERY_ASSERT(message && message->size() <= kBytesToClientMax);
  peers_[client].link.sender().send(std::move(message));
}

std::size_t ServerEndpoint::send_messages(ClientId client, const codec::CommandReport& report,
                                          std::size_t datagrams_max, Nanoseconds now) {
  ServerPeer& p = peers_[client];
  ORRERY_ASSERT(p.joined && p.link.is_reliable());
  std::size_t count = 0;
  for (; count < datagrams_max && p.link.write_reliable(report, now, message_); ++count) {
    append(p, MessageType::reliable, message_, now);
  }
  out_.flush();
  return count;
}

std::size_t ServerEndpoint::send_reliable_within_budget(ClientId client,
                                                        const codec::CommandReport& report,
                                                        std::size_t datagrams_max,
                                                        Nanoseconds now) {
  ServerPeer& p = peers_[client];
  const std::size_t most = std::min(datagrams_max, p.budget.reliable_room());
  const std::uint64_t before = p.link.bytes_sent();
  const std::size_t sent = send_messages(client, report, most, now);
  p.budget.spend_reliable(sent, p.link.bytes_sent() - before);
  return sent;
}

}  // namespace orrery::net
