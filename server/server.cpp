// Runs a tick of the server: receive, close the inbox, step, log, send.
#include "server/server.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "common/core/limits.h"
#include "common/net/packet/address_text.h"
#include "common/world/step.h"

namespace orrery::server {
namespace {

net::ServerConfig config_of(const World& world, const net::SharedBytes& header_message,
                            const net::Access& access, std::uint64_t epoch) {
  return {.clients_max = limits::kClientsMax,
          .tick_rate = world.scene().tick_rate,
          .tick_time = world.tick_time(),
          .scene_bodies = static_cast<std::uint32_t>(world.scene().bodies.size()),
          .scene = world.scene().name,
          .access = access,
          .scene_bytes = scene_bytes_to_plain(header_message),
          .epoch = epoch,
          .interest_radius = world.scene().interest_radius,
          .frames = codec::delta_scene_of(world.scene())};
}

// Returns the time from the arrival of a message to the closing of the next tick, in units of
// CommandMargin. A unit is a part of the real time between the closing of the last tick and that of
// the next one, which is longer if the server is slow. A tick that is overdue counts as closing
// now.
int early(const TickTimes& times, std::uint32_t rate, net::Nanoseconds arrived,
          net::Nanoseconds now) {
  ORRERY_ASSERT(arrived <= now);
  const net::Nanoseconds closed = times.closed();
  const net::Nanoseconds closes = std::max(now, closed + net::kSecond / rate);
  const net::Nanoseconds time = closes - std::max(arrived, closed);
  return static_cast<int>(time * codec::CommandMargin::kPerTick / (closes - closed));
}

}  // namespace

Server::Server(World& world, session::SessionLog& log, const ServerEnvironment& environment,
               const net::Access& access, net::Nanoseconds now)
    : world_(world),
      log_(log),
      environment_(environment),
      times_(world.scene().tick_rate, now),
      header_message_(std::make_shared<const std::vector<std::uint8_t>>(
          session::follow_header(log.header(), world.scene()))),
      clients_{world,
               environment.network,
               {environment.network,
                config_of(world, header_message_, access, environment.network.random()), now},
               Inbox(limits::kClientsMax, world.scene().commands_per_tick),
               Absences(world),
               !access.key_is_fresh},
      snapshots_(clients_),
      plain_messages_(clients_, header_message_),
      followers_(clients_, header_message_),
      replies_{{clients_, environment.executor}, Refusals(clients_), Kicks(clients_, access.bans)} {
  ORRERY_ASSERT(world.tick().value == log.ticks());
  for (const Client& client : world.controls().clients) clients_.inbox.expel(client.id);
  input_.reserve(limits::kCommandsQueuedMax);
  gone_.reserve(limits::kClientsMax);
}

std::span<const Command> Server::close(net::Nanoseconds now, std::size_t reserve) {
  poll(now);
  const std::uint64_t skipped = times_.close(now);
  const Tick next{world_.tick().value + 1};
  for (const std::uint64_t account : clients_.absences.over(next)) clients_.inbox.disown(account);
  return clients_.inbox.close(next, skipped, reserve);
}

void Server::step(std::span<const Command> commands, net::Nanoseconds now) {
  orrery::step(world_, commands, environment_.executor, &replies_.refusals.refused());
  clients_.absences.observe(world_);
  // The tick is logged before any client can see it. If the log refuses the tick, no client
  // receives it. A log on disk never refuses a tick: while the disk fails, it keeps ticks in
  // memory, and loses the newest ones when that memory is full.
  if (log_.append_tick(world_)) {
    followers_.observe(log_.last_tick());
    snapshots_.send(now);
    replies_.refusals.queue();
    plain_messages_.send(now);
  }
  gone_.clear();
  followers_.send(now, gone_);
  replies_.kicks.send(now, gone_);
  for (const net::ServerEvent& event : gone_) leave(event, now);
  environment_.network.flush();
  if (shadow_) shadow_->observe(world_, log_.last_tick());
}

// Reads the socket before it looks for silent clients. The server itself may have paused: the
// packets of the clients then wait in the socket, and its pause is no silence of theirs.
void Server::poll(net::Nanoseconds now) {
  alignas(16) std::array<std::uint8_t, net::kPacketBytesMax + 1> buffer;
  net::Address from;
  for (int i = 0; i < kDatagramsPerDrain; ++i) {
    const auto size = environment_.datagrams.receive(from, buffer);
    if (!size) break;
    const net::Nanoseconds arrived = environment_.datagrams.arrival(now);
    handle(clients_.endpoint.receive(from, Bytes(buffer).first(*size), now), from, arrived, now);
  }
  gone_.clear();
  hang_up(now);
  clients_.endpoint.update(now, gone_);
  for (const net::ServerEvent& event : gone_) handle(event, {}, now, now);
  environment_.network.flush();
}

// Ends the connections of clients with a closed WebSocket. A UDP client has no such signal: it
// leaves by a packet, or times out.
void Server::hang_up(net::Nanoseconds now) {
  while (const auto closed = environment_.datagrams.next_closed()) {
    const auto reason = closed->stalled ? EndReason::timed_out : EndReason::asked;
    const auto client = clients_.endpoint.peers().find(closed->address);
    if (!client) continue;
    const net::ServerEvent event = clients_.endpoint.remove(*client, reason, now);
    if (event.kind == net::ServerEvent::Kind::left) gone_.push_back(event);
  }
}

void Server::handle(const net::ServerEvent& event, const net::Address& from,
                    net::Nanoseconds arrived, net::Nanoseconds now) {
  switch (event.kind) {
    case net::ServerEvent::Kind::nothing:
      return;
    case net::ServerEvent::Kind::joined:
      clients_.inbox.join(event.client, event.role,
                          clients_.has_accounts ? clients_[event.client].owner.client_id : 0,
                          net::own_data_of(clients_[event.client].owner.user_data));
      replies_.refusals.join(event.client);
      snapshots_.join(event.client);
      if (clients_[event.client].follows) {
        followers_.join(event.client);
      } else {
        plain_messages_.join(event.client);
      }
      environment_.operator_log.client_joined(event.client, event.role, net::format_address(from),
                                              now);
      return;
    case net::ServerEvent::Kind::moved:
      environment_.operator_log.client_moved(event.client, net::format_address(from), now);
      return;
    case net::ServerEvent::Kind::narrowed:
      environment_.operator_log.client_narrowed(event.client, net::kDatagramBytesMin, now);
      return;
    case net::ServerEvent::Kind::left:
      leave(event, now);
      if (event.reason == EndReason::replaced) {
        environment_.operator_log.client_replaced(event.client, net::format_address(from), now);
      }
      return;
    case net::ServerEvent::Kind::input:
      if (codec::decode_input(event.message, event.client, input_)) {
        clients_.inbox.accept(event.client, input_, Tick{world_.tick().value + 1},
                              early(times_, world_.scene().tick_rate, arrived, now));
      } else {
        clients_.endpoint.drop(net::Drop::malformed);
      }
      return;
    case net::ServerEvent::Kind::query:
      replies_.rays.answer(event.client, event.message, now);
      return;
    case net::ServerEvent::Kind::frame_ack:
      if (!snapshots_.acknowledge(event.client, event.message)) {
        clients_.endpoint.drop(net::Drop::malformed);
      }
      return;
    case net::ServerEvent::Kind::reliable:
      take_mismatches(event.client, now);
      return;
  }
}

void Server::leave(const net::ServerEvent& event, net::Nanoseconds now) {
  clients_.inbox.leave(event.client);
  plain_messages_.leave(event.client);
  followers_.leave(event.client);
  snapshots_.leave(event.client);
  environment_.operator_log.client_left(event.client, event.reason, now);
}

// Reads the reports of followers that computed another state than the server. Counts only the first
// report of a client, because all its later states differ too.
void Server::take_mismatches(ClientId client, net::Nanoseconds now) {
  while (const auto bytes = clients_.endpoint.next_message(client)) {
    const std::optional<session::Mismatch> mismatch = session::decode_mismatch(*bytes);
    if (!mismatch) {
      clients_.endpoint.drop(net::Drop::malformed);
    } else if (followers_.mismatched(client)) {
      environment_.operator_log.client_diverged(client, *mismatch, now);
    }
  }
}

std::optional<std::uint64_t> Server::lag(ClientId client, net::Nanoseconds now) const {
  if (clients_[client].follows) return followers_.lag(client);
  const net::Nanoseconds departed = clients_[client].link.path().newest_departure();
  if (departed == 0) return std::nullopt;
  return (now - std::min(now, departed)) * world_.scene().tick_rate / net::kSecond;
}

// Reads the socket first, so that clients which have just left receive no disconnect packet.
void Server::stop(net::Nanoseconds now) {
  poll(now);
  clients_.endpoint.stop(now);
  environment_.network.flush();
}

}  // namespace orrery::server
