// Sends snapshots to clients: all bodies if the world, the budget and the path allow it, otherwise
// a selection.
#include "server/senders/snapshot_sender.h"

#include <algorithm>
#include <utility>

#include "common/core/limits.h"

namespace orrery::server {
namespace {

// Limits for a snapshot of all bodies. Beyond them, a client gets selections.
struct Limits {
  double lost_parts;  // expected number of lost parts
  double saving;      // seconds without a snapshot, so that the budget pays for the next one
};
constexpr Limits kPlain{.lost_parts = 0.5, .saving = 0};
constexpr Limits kFrame{.lost_parts = 0.5, .saving = 0.1};
// The first frame of mode delta is larger than all later ones. It is sent ten times a second until
// it has arrived.
constexpr Limits kFirstFrame{.lost_parts = 2, .saving = 1};

}  // namespace

SnapshotSender::SnapshotSender(Clients& clients)
    : clients_(clients),
      interest_(clients.world),
      delta_(clients),
      plain_(clients.world),
      schedules_(limits::kClientsMax) {}

void SnapshotSender::limit(std::uint32_t per_second) {
  ORRERY_ASSERT(per_second >= 1);
  interval_min_ = (clients_.world.scene().tick_rate + per_second - 1) / per_second;
}

void SnapshotSender::join(ClientId client) {
  schedules_[client] = {.refilled = clients_.world.tick().value};
  delta_.join(client);
  plain_.join(client);
}

void SnapshotSender::leave(ClientId client) {
  interest_.leave(client);
  delta_.leave(client);
  plain_.leave(client);
  schedules_[client].waits = false;
}

bool SnapshotSender::acknowledge(ClientId client, Bytes message) {
  const auto tick = codec::decode_frame_ack(message);
  if (!tick) return false;
  if (clients_[client].delta) {
    delta_.acknowledge(client, *tick);
  } else {
    plain_.acknowledge(client, *tick);
    interest_.acknowledge(client, *tick);
  }
  return true;
}

// Returns the number of ticks from one snapshot to the next. A snapshot of a large world has more
// parts than limits::kSnapshotPartsPerTick, the number that may be sent in a tick. Such a snapshot
// needs several ticks.
std::uint64_t SnapshotSender::interval() const {
  const std::size_t bodies = std::min(clients_.world.bodies().count(), limits::kSnapshotBodiesMax);
  const std::size_t per_tick = limits::kSnapshotPartsPerTick * codec::kSnapshotPartBodies;
  return std::max<std::uint64_t>(interval_min_, (bodies + per_tick - 1) / per_tick);
}

void SnapshotSender::send(net::Nanoseconds now) {
  if (clients_.endpoint.peers().count() == 0) return;
  const std::uint64_t ticks = interval();
  delta_.begin_tick();
  if (clients_.world.tick().value % ticks == 0) send_whole(now);
  send_selected(ticks, now);
}

// Sends a snapshot of all bodies to each client that has the budget for it and is likely to get all
// parts. In a scene with an interest radius, or with too many bodies, no client gets it. Other
// clients wait for a selection. Their budget is refilled only after the selection is sent. A client
// whose last snapshot has not left yet gets none, so that it sees the newest state once its path is
// free. Frames of mode delta come last, in the order of their ranks.
void SnapshotSender::send_whole(net::Nanoseconds now) {
  const World& world = clients_.world;
  const bool may_be_whole =
      world.scene().interest_radius == 0 && world.bodies().count() <= limits::kSnapshotBodiesMax;
  due_frames_.clear();
  for (ClientId client{1}; client <= clients_.highest(); ++client.value) {
    Schedule& schedule = schedules_[client];
    const net::ServerPeer& peer = clients_[client];
    if (!peer.joined || peer.follows || schedule.waits) continue;
    if (!clients_.is_clear(client) || world.tick().value < schedule.saves_until) continue;
    const bool has_saved = std::exchange(schedule.saves_until, 0) != 0;
    clients_.refill(client, world.tick().value - schedule.refilled, now);
    schedule.refilled = world.tick().value;
    schedule.waits = !may_be_whole;
    if (schedule.waits) continue;
    const Sequence input = clients_.inbox.report(client).input;
    if (!peer.delta) {
      if (plain_.is_due(client, input)) send_if_it_fits(client, 0, has_saved, now);
    } else if (delta_.is_due(client, input)) {
      due_frames_.push_back({delta_.rank(client), client, has_saved});
    }
  }
  send_frames(now);
}

// Codes and sends the frames that are due, as many as this tick may code. The rest is due again in
// the next tick.
void SnapshotSender::send_frames(net::Nanoseconds now) {
  std::stable_sort(due_frames_.begin(), due_frames_.end(),
                   [](const DueFrame& a, const DueFrame& b) { return a.rank < b.rank; });
  for (const DueFrame& due : due_frames_) {
    if (const auto parts = delta_.encode_whole(due.client)) {
      send_if_it_fits(due.client, *parts, due.has_saved, now);
    } else if (due.has_saved) {
      schedules_[due.client].saves_until = clients_.world.tick().value;  // it is over then too
    }
  }
}

// Sends the last frame of mode delta if it has parts, otherwise a plain snapshot. If the budget has
// no room for it, the client saves or waits for a selection.
void SnapshotSender::send_if_it_fits(ClientId client, std::size_t frame_parts, bool has_saved,
                                     net::Nanoseconds now) {
  Schedule& schedule = schedules_[client];
  codec::SnapshotEncoder* const plain = frame_parts != 0 ? nullptr : &plain_.encode(client);
  const std::size_t parts = plain ? plain->parts() : frame_parts;
  const Limits& most = plain ? kPlain : delta_.has_baseline(client) ? kFrame : kFirstFrame;
  const bool arrives = arrives_whole(client, parts, most.lost_parts);
  const bool has_room = clients_[client].budget.room() >= parts;
  if (arrives && !has_room && !has_saved) save(client, parts, most.saving);
  if (schedule.saves_until != 0) return;
  schedule.waits = !has_room || !arrives;
  if (schedule.waits) return;
  interest_.told_all(client);
  if (plain) plain_.note_sent(client, clients_.inbox.report(client).input);
  send_parts(client, plain, now);
}

// Sends selections in round-robin order. Building a selection costs more than sending a shared
// snapshot. A tick therefore serves a limited number of clients, and the next tick continues with
// the next client.
void SnapshotSender::send_selected(std::uint64_t interval, net::Nanoseconds now) {
  const World& world = clients_.world;
  const std::size_t parts_max =
      std::min<std::size_t>(codec::kSnapshotPartsMax, interval * limits::kSnapshotPartsPerTick);
  const std::uint32_t highest = clients_.highest().value;
  std::size_t examined = 0;  // bodies in this tick
  for (std::uint32_t i = 0; i < highest && examined < codec::kBodiesExaminedPerTick; ++i) {
    last_served_ = ClientId{last_served_.value % highest + 1};
    if (!std::exchange(schedules_[last_served_].waits, false)) continue;
    const std::size_t room = std::min(parts_max, clients_[last_served_].budget.room());
    if (room == 0 || !clients_.is_clear(last_served_)) continue;
    examined += world.bodies().slots();
    if (clients_[last_served_].delta && delta_.takes_selections()) {
      send_selected_frame(last_served_, room, now);
    } else {
      send_selected_plain(last_served_, room, now);
    }
  }
}

void SnapshotSender::send_selected_plain(ClientId client, std::size_t room, net::Nanoseconds now) {
  const std::size_t bodies = room * codec::kSelectionPartBodies;
  const codec::SnapshotSelection selection =
      interest_.select(client, bodies, plain_.acknowledged(client, repeat_after(client)));
  const Sequence input = clients_.inbox.report(client).input;
  const bool has_news = !selection.slots.empty() || interest_.owes_masks(client);
  if (!has_news && !plain_.is_overdue(client, input)) return;
  selection_.encode(clients_.world, selection);
  plain_.note_selection(client, input);
  interest_.note_sent(client, selection_.parts());
  send_parts(client, &selection_, now);
}

// A frame has as few parts as are likely to arrive together, because it is lost with any of them.
void SnapshotSender::send_selected_frame(ClientId client, std::size_t room, net::Nanoseconds now) {
  std::size_t parts_max = room;
  while (parts_max > 1 && !arrives_whole(client, parts_max, kFrame.lost_parts)) parts_max /= 2;
  // The client has none of the bodies of earlier selections.
  if (!delta_.has_baseline(client)) interest_.leave(client);
  const std::size_t most = delta_.bodies_in(client, parts_max);
  const codec::SnapshotSelection selection = interest_.select(client, most);
  const bool has_all = selection.slots.size() < most;
  const auto parts = has_all ? delta_.encode_selected(client, selection, parts_max) : std::nullopt;
  if (!parts) return send_selected_plain(client, room, now);
  if (*parts > 0) send_parts(client, nullptr, now);
}

// Returns the ticks in which an acknowledgement of what is sent now should come.
std::uint64_t SnapshotSender::repeat_after(ClientId client) const {
  const net::Nanoseconds time = 2 * clients_[client].link.path().round_trip() + net::kSecond / 10;
  return time * clients_.world.scene().tick_rate / net::kSecond;
}

// Returns true if at most `lost_max` parts of a snapshot of all bodies are likely to be lost. It
// is useless if a part is lost, while each part of a selection is useful by itself.
bool SnapshotSender::arrives_whole(ClientId client, std::size_t parts, double lost_max) const {
  return clients_[client].link.path().loss() * static_cast<double>(parts) < lost_max;
}

// Sends nothing to the client until its next budget pays for so many parts, if this takes at most
// `seconds`.
void SnapshotSender::save(ClientId client, std::size_t parts, double seconds) {
  const double bytes = static_cast<double>(parts + 1) * net::CongestionControl::kDatagramBytes;
  const double time = bytes / clients_[client].budget.rate();
  if (time > seconds) return;
  const World& world = clients_.world;
  schedules_[client].saves_until =
      world.tick().value + 1 + static_cast<std::uint64_t>(time * world.scene().tick_rate);
}

// Sends a plain snapshot, or without one the last encoding of mode delta.
void SnapshotSender::send_parts(ClientId client, codec::SnapshotEncoder* plain,
                                net::Nanoseconds now) {
  const codec::CommandReport report = clients_.inbox.report(client);
  if (plain == nullptr) {
    delta_.send(client, report, now);
  } else {
    parts_.clear();
    for (std::size_t i = 0; i < plain->parts(); ++i) parts_.push_back(plain->part(i, report));
    clients_.endpoint.send_snapshot(client, net::MessageType::snapshot, parts_, now);
  }
  clients_.inbox.reported(client);
}

}  // namespace orrery::server
