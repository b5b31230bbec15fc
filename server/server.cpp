// Runs a tick of the server: receive, close the inbox, step, log, send.
#include "server/server.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "common/codec/event_codec.h"
#include "common/core/limits.h"
#include "common/host/net/udp.h"
#include "common/world/step.h"

namespace orrery::server {
namespace {

net::ServerConfig config_of(const World& world, const net::Access& access) {
  return {.clients_max = limits::kClientsMax,
          .tick_rate = world.scene().tick_rate,
          .tick_time = world.tick_time(),
          .scene_bodies = static_cast<std::uint32_t>(world.scene().bodies.size()),
          .scene = world.scene().name,
          .access = access};
}

// Limit on the bodies examined in a tick to build selections. At least one client is served, also
// if its world is larger.
constexpr std::size_t kBodiesLookedAtPerTick = 40'000;

// A client gets whole snapshots only if it loses fewer parts than this of each, on average.
constexpr double kPartsLostMax = 0.5;

}  // namespace

Server::Server(World& world, session::SessionLog& log, net::NetEnvironment& network,
               net::DatagramSource& datagrams, const net::Access& access, Executor& executor,
               OperatorLog& operator_log, net::Nanoseconds now)
    : world_(world),
      log_(log),
      network_(network),
      datagrams_(datagrams),
      executor_(executor),
      operator_log_(operator_log),
      endpoint_(network, config_of(world, access), now),
      inbox_(limits::kClientsMax),
      events_(world, endpoint_, inbox_),
      followers_(world, log.header(), endpoint_, inbox_),
      interest_(world),
      turns_(limits::kClientsMax),
      queries_(world) {
  ORRERY_ASSERT(world.tick().value == log.ticks());
  for (const Client& client : world.controls().clients) inbox_.expel(client.id);
  input_.reserve(limits::kCommandsQueuedMax);
  gone_.reserve(limits::kClientsMax);
}

void Server::limit_snapshots(std::uint32_t per_second) {
  ORRERY_ASSERT(per_second >= 1);
  snapshot_interval_ = (world_.scene().tick_rate + per_second - 1) / per_second;
}

void Server::tick(net::Nanoseconds now) {
  poll(now);
  const auto commands = inbox_.close(Tick{world_.tick().value + 1});
  step(world_, commands, executor_);
  // The tick is logged before any client can see it. If the log refuses it, no client gets it. The
  // server's own log never refuses: it keeps what the disk does not take.
  if (log_.append_tick(world_)) {
    followers_.observe(log_.last_tick());
    send_snapshots(now);
    events_.send(now);
  }
  send_to_followers(now);
  network_.flush();
  if (shadow_) shadow_->observe(world_, log_.last_tick());
}

// Checks for silent clients only after it has read the socket. A pause of the server of less than
// five seconds therefore ends no connection.
void Server::poll(net::Nanoseconds now) {
  alignas(16) std::array<std::uint8_t, net::kPacketBytesMax + 1> buffer;
  net::Address from;
  for (int i = 0; i < kDatagramsPerDrain; ++i) {
    const auto size = datagrams_.receive(from, buffer);
    if (!size) break;
    handle(endpoint_.receive(from, Bytes(buffer).first(*size), now), from, now);
  }
  gone_.clear();
  endpoint_.update(now, gone_);
  for (const net::ServerEvent& event : gone_) leave(event, now);
  network_.flush();
}

void Server::handle(const net::ServerEvent& event, const net::Address& from, net::Nanoseconds now) {
  switch (event.kind) {
    case net::ServerEvent::Kind::nothing:
      return;
    case net::ServerEvent::Kind::joined:
      inbox_.join(event.client, event.role);
      turns_[event.client.value - 1] = {world_.tick().value, false};
      if (endpoint_.follows(event.client)) followers_.join(event.client);
      if (endpoint_.wants_events(event.client)) events_.join(event.client);
      operator_log_.client_joined(event.client, event.role, host::format_address(from), now);
      return;
    case net::ServerEvent::Kind::left:
      leave(event, now);
      return;
    case net::ServerEvent::Kind::input:
      if (codec::decode_input(event.message, event.client, input_)) {
        inbox_.accept(event.client, input_, Tick{world_.tick().value + 1});
      } else {
        endpoint_.count_malformed();
      }
      return;
    case net::ServerEvent::Kind::query:
      answer(event, now);
      return;
    case net::ServerEvent::Kind::reliable:
      take_mismatches(event.client, now);
      return;
  }
}

void Server::leave(const net::ServerEvent& event, net::Nanoseconds now) {
  inbox_.leave(event.client);
  events_.leave(event.client);
  followers_.leave(event.client);
  interest_.leave(event.client);
  turns_[event.client.value - 1].waits = false;
  operator_log_.client_left(event.client, event.reason, now);
}

// Returns the ticks between snapshots. Large worlds need more than one tick to send one.
std::uint64_t Server::snapshot_interval() const {
  const std::size_t bodies = std::min(world_.bodies().count(), limits::kSnapshotBodiesMax);
  const std::size_t per_tick = limits::kSnapshotPartsPerTick * codec::kSnapshotPartBodies;
  return std::max<std::uint64_t>(snapshot_interval_, (bodies + per_tick - 1) / per_tick);
}

void Server::send_snapshots(net::Nanoseconds now) {
  if (endpoint_.clients() == 0) return;
  const std::uint64_t interval = snapshot_interval();
  if (world_.tick().value % interval == 0) send_whole(now);
  send_selected(interval, now);
}

// Sends a snapshot of all bodies to each client that has the budget for it. Other clients wait for
// a selection. Their budget is refilled when that was sent.
void Server::send_whole(net::Nanoseconds now) {
  const bool may_be_whole =
      world_.scene().interest_radius == 0 && world_.bodies().count() <= limits::kSnapshotBodiesMax;
  if (may_be_whole) snapshot_.encode(world_);
  for (std::uint32_t i = 1; i <= endpoint_.highest().value; ++i) {
    const ClientId client{i};
    Turn& turn = turns_[i - 1];
    if (!endpoint_.joined(client) || endpoint_.follows(client) || turn.waits) continue;
    const std::uint64_t ticks = world_.tick().value - turn.refilled;
    endpoint_.refill(client, ticks * net::kSecond / world_.scene().tick_rate, now);
    turn.refilled = world_.tick().value;
    const std::size_t room = endpoint_.budget(client).room();
    turn.waits = !may_be_whole || room < snapshot_.parts() || !arrives_whole(client);
    if (turn.waits) continue;
    interest_.told_all(client);
    send_parts(client, snapshot_, now);
  }
}

// Sends selections in round-robin order. Building one costs more than sending a shared snapshot, so
// a tick serves a limited number of clients and the next tick continues.
void Server::send_selected(std::uint64_t interval, net::Nanoseconds now) {
  const std::size_t parts_max =
      std::min<std::size_t>(codec::kSnapshotPartsMax, interval * limits::kSnapshotPartsPerTick);
  const std::uint32_t highest = endpoint_.highest().value;
  std::size_t looked_at = 0;  // in bodies
  for (std::uint32_t i = 0; i < highest && looked_at < kBodiesLookedAtPerTick; ++i) {
    turn_ = turn_ % highest + 1;
    if (!std::exchange(turns_[turn_ - 1].waits, false)) continue;
    const ClientId client{turn_};
    const std::size_t room = std::min(parts_max, endpoint_.budget(client).room());
    if (room == 0) continue;
    looked_at += world_.bodies().slots();
    selection_.encode(world_, interest_.select(client, room * codec::kSelectionPartBodies));
    send_parts(client, selection_, now);
  }
}

// Returns whether a snapshot of all bodies is likely to arrive complete. It is useless if a part is
// lost, while each part of a selection is useful by itself.
bool Server::arrives_whole(ClientId client) const {
  const double lost = endpoint_.path(client).loss() * static_cast<double>(snapshot_.parts());
  return lost < kPartsLostMax;
}

void Server::send_parts(ClientId client, codec::SnapshotEncoder& snapshot, net::Nanoseconds now) {
  const Sequence input = inbox_.acknowledged(client);
  parts_.clear();
  for (std::size_t i = 0; i < snapshot.parts(); ++i) parts_.push_back(snapshot.part(i, input));
  endpoint_.send_snapshot(client, parts_, now);
}

void Server::send_to_followers(net::Nanoseconds now) {
  gone_.clear();
  followers_.send(now, gone_);
  for (const net::ServerEvent& event : gone_) leave(event, now);
}

// Reads reports of divergence. Only the first of a client counts: its later states differ as well.
void Server::take_mismatches(ClientId client, net::Nanoseconds now) {
  while (const auto bytes = endpoint_.next_message(client)) {
    const std::optional<session::Mismatch> mismatch = session::decode_mismatch(*bytes);
    if (!mismatch) {
      endpoint_.count_malformed();
    } else if (followers_.mismatched(client)) {
      ++mismatches_;
      operator_log_.client_diverged(client, *mismatch, now);
    }
  }
}

void Server::answer(const net::ServerEvent& event, net::Nanoseconds now) {
  const std::optional<codec::message::Query> query = codec::decode_query(event.message);
  if (!query) return endpoint_.count_malformed();
  if (queries_tick_ != world_.tick()) {
    queries_.update(world_, executor_);
    queries_tick_ = world_.tick();
  }
  queries_.cast_ray(world_, query->origin, query->along, {}, 1, hits_);
  codec::message::Answer answer{query->id, world_.tick(), !hits_.empty(), {}, 0, 0, {}};
  if (!hits_.empty()) {
    answer.body = hits_[0].body;
    answer.part = hits_[0].part;
    answer.fraction = hits_[0].fraction;
    answer.normal = hits_[0].normal;
  }
  message_.clear();
  codec::encode(answer, message_);
  endpoint_.send(event.client, net::MessageType::answer, message_, now);
}

std::optional<std::uint64_t> Server::lag(ClientId client, net::Nanoseconds now) const {
  if (endpoint_.follows(client)) return followers_.lag(client);
  const net::Nanoseconds departed = endpoint_.path(client).newest_departure();
  if (departed == 0) return std::nullopt;
  return (now - std::min(now, departed)) * world_.scene().tick_rate / net::kSecond;
}

// Polls first, so that clients that are leaving now are not sent a disconnect.
void Server::stop(net::Nanoseconds now) {
  poll(now);
  endpoint_.stop(now);
  network_.flush();
}

}  // namespace orrery::server
