// Sends snapshots to clients: all bodies if the world, the budget and the path allow it, otherwise
// a selection.
#include "server/senders/snapshot_sender.h"

#include <algorithm>
#include <utility>

#include "common/core/limits.h"

namespace orrery::server {
namespace {

// Snapshots a second to a client that has the present state, and coded ones to a client that has no
// baseline.
constexpr std::uint32_t kIdlePerSecond = 10;

// Rank of a client without a baseline, before it waits: this part of a second. Clients that answer
// sooner come first.
constexpr std::uint32_t kPatiencePerSecond = 4;

// Most slots of a world with coded frames of selections: each client needs memory for its own.
constexpr std::size_t kSelectedSlotsMax = 65'536;

// Least mean of the bytes of a selected body. Bodies at rest need none. Without this limit, a part
// would seem to have room for any number of bodies.
constexpr double kBodyBytesMin = 0.25;

// Limits for a snapshot of all bodies. Beyond them, a client gets selections.
struct Limits {
  double lost_parts;  // expected number of lost parts
  double saving;      // seconds without a snapshot, so that the budget pays for the next one
};
constexpr Limits kRows{.lost_parts = 0.5, .saving = 0};
constexpr Limits kCoded{.lost_parts = 0.5, .saving = 0.1};
// The first coded frame is larger than all later ones. It is sent ten times a second until it has
// arrived.
constexpr Limits kFirstCoded{.lost_parts = 2, .saving = 1};

// Over a WebSocket, which loses nothing, a coded frame is a baseline at once.
bool is_reliable(const net::Address& address) { return address.carrier == net::Carrier::websocket; }

}  // namespace

SnapshotSender::SnapshotSender(Clients& clients)
    : clients_(clients),
      interest_(clients.world),
      baselines_(clients, codec::delta_scene_of(clients.world.scene()).slots),
      coded_(clients.world, baselines_),
      rows_(clients.world),
      readers_(limits::kClientsMax) {}

void SnapshotSender::limit(std::uint32_t per_second) {
  ORRERY_ASSERT(per_second >= 1);
  interval_min_ = (clients_.world.scene().tick_rate + per_second - 1) / per_second;
}

void SnapshotSender::join(ClientId client) {
  readers_[client] = {.refilled = clients_.world.tick().value};
}

void SnapshotSender::leave(ClientId client) {
  interest_.leave(client);
  baselines_.forget(client);
  readers_[client] = {};
}

bool SnapshotSender::acknowledge(ClientId client, Bytes message) {
  const auto tick = codec::decode_frame_ack(message);
  if (!tick) return false;
  Reader& reader = readers_[client];
  reader.acknowledges = true;
  if (!clients_[client].delta) rows_.watch();
  interest_.acknowledge(client, *tick);
  if (tick->value != 0) {
    baselines_.acknowledge(client, *tick);
  } else {
    baselines_.forget(client);
    reader.last_sent = {};
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

// Returns the ticks between snapshots to a client that has the present state.
std::uint64_t SnapshotSender::idle_interval() const {
  return std::max(clients_.world.scene().tick_rate / kIdlePerSecond, 1u);
}

void SnapshotSender::send(net::Nanoseconds now) {
  if (clients_.endpoint.peers().count() == 0) return;
  const std::uint64_t ticks = interval();
  baselines_.drop_old();
  if (clients_.world.tick().value % ticks == 0) {
    find_due(now);
    send_whole(now);
  }
  send_selected(ticks, now);
}

// Finds the clients for which a frame of all bodies is due. In a scene with an interest radius, or
// with too many bodies, they wait for a selection. The budget of clients that wait is refilled only
// after their selection is sent. A client whose last snapshot has not left yet gets none, so that
// it sees the newest state once its path is free.
void SnapshotSender::find_due(net::Nanoseconds now) {
  const World& world = clients_.world;
  const bool may_be_whole =
      world.scene().interest_radius == 0 && world.bodies().count() <= limits::kSnapshotBodiesMax;
  due_.clear();
  for (ClientId client{1}; client <= clients_.highest(); ++client.value) {
    Reader& reader = readers_[client];
    const net::ServerPeer& peer = clients_[client];
    if (!peer.joined || peer.follows || reader.waits) continue;
    if (!clients_.is_clear(client) || world.tick().value < reader.saves_until) continue;
    const bool has_saved = std::exchange(reader.saves_until, 0) != 0;
    clients_.refill(client, world.tick().value - reader.refilled, now);
    reader.refilled = world.tick().value;
    reader.waits = !may_be_whole;
    if (may_be_whole && is_due(client)) due_.push_back({rank(client), client, has_saved});
  }
}

// Returns true if the state of the last tick differs from the client's baseline, or is_overdue().
// Without a baseline, rows are due in each tick, and coded frames in some: the same for all
// clients, so that they share encodings.
bool SnapshotSender::is_due(ClientId client) {
  const Baselines::Frame& baseline = baselines_.of(client);
  const bool is_coded = clients_[client].delta;
  if (!baseline) {
    const std::uint64_t spacing = idle_interval();
    const std::uint64_t last = readers_[client].last_sent.value / spacing;
    return !is_coded || clients_.world.tick().value / spacing != last;
  }
  if (!is_coded) rows_.see_tick();
  const bool has_changed = is_coded ? baseline->bodies_checksum != coded_.checksum()
                                    : rows_.last_change() > baseline->frame.tick;
  return has_changed || is_overdue(client);
}

// Returns true if the client should be sent a snapshot without news: it acknowledges nothing, was
// sent nothing for a while, or does not know that its commands came.
bool SnapshotSender::is_overdue(ClientId client) const {
  const Reader& reader = readers_[client];
  return !reader.acknowledges || reader.reported != clients_.inbox.report(client).input ||
         clients_.world.tick().value >= reader.last_sent.value + idle_interval();
}

// Returns the rank of the client among those for which a frame is due. The lowest rank is served
// first: the ticks between its baseline and its last frame, less the ticks since it was served.
std::int64_t SnapshotSender::rank(ClientId client) const {
  const Reader& reader = readers_[client];
  const Baselines::Frame& baseline = baselines_.of(client);
  const std::uint64_t lag = baseline ? reader.last_sent.value - baseline->frame.tick.value
                                     : clients_.world.scene().tick_rate / kPatiencePerSecond;
  const std::uint64_t waited = clients_.world.tick().value - reader.last_coded.value;
  return static_cast<std::int64_t>(lag) - static_cast<std::int64_t>(waited);
}

// Sends the frames that are due in the order of their ranks, as many as this tick may code. The
// rest is due again in the next tick.
void SnapshotSender::send_whole(net::Nanoseconds now) {
  std::stable_sort(due_.begin(), due_.end(),
                   [](const DueFrame& a, const DueFrame& b) { return a.rank < b.rank; });
  for (const auto& [rank, client, has_saved] : due_) {
    Reader& reader = readers_[client];
    if (!clients_[client].delta) {
      send_if_it_fits(client, &rows_.against(baselines_.of(client)), has_saved, now);
    } else if (const auto frame = coded_.whole(client)) {
      if (*frame != nullptr) reader.last_coded = clients_.world.tick();
      send_if_it_fits(client, *frame, has_saved, now);
    } else if (has_saved) {
      reader.saves_until = clients_.world.tick().value;  // it is over then too
    }
  }
}

// Sends a frame if there is one, the budget has room for it, and all of its parts are likely to
// arrive. Otherwise, the client saves or waits for a selection.
void SnapshotSender::send_if_it_fits(ClientId client, Encoding* frame, bool has_saved,
                                     net::Nanoseconds now) {
  Reader& reader = readers_[client];
  const std::size_t parts = frame ? frame->parts() : 0;
  const Limits& most = !clients_[client].delta ? kRows
                       : baselines_.of(client) ? kCoded
                                               : kFirstCoded;
  const bool is_possible = frame && (!frame->is_coded || parts <= codec::kDeltaPartsMax);
  const bool arrives = is_possible && arrives_whole(client, parts, most.lost_parts);
  const bool has_room = clients_[client].budget.room() >= parts;
  if (arrives && !has_room && !has_saved) save(client, parts, most.saving);
  if (reader.saves_until != 0) return;
  reader.waits = !has_room || !arrives;
  if (reader.waits) return;
  interest_.told_all(client);
  send_frame(client, *frame, now);
}

// Sends selections in round-robin order. Building a selection costs more than sending a shared
// frame. A tick therefore serves a limited number of clients, and the next tick continues with the
// next client.
void SnapshotSender::send_selected(std::uint64_t interval, net::Nanoseconds now) {
  const World& world = clients_.world;
  const std::size_t parts_max =
      std::min<std::size_t>(codec::kSnapshotPartsMax, interval * limits::kSnapshotPartsPerTick);
  const std::uint32_t highest = clients_.highest().value;
  std::size_t examined = 0;  // bodies in this tick
  for (std::uint32_t i = 0; i < highest && examined < codec::kBodiesExaminedPerTick; ++i) {
    last_served_ = ClientId{last_served_.value % highest + 1};
    if (!std::exchange(readers_[last_served_].waits, false)) continue;
    const std::size_t room = std::min(parts_max, clients_[last_served_].budget.room());
    if (room == 0 || !clients_.is_clear(last_served_)) continue;
    examined += world.bodies().slots();
    if (Encoding* const frame = select(last_served_, room)) send_frame(last_served_, *frame, now);
  }
}

// Makes a frame of the bodies that the client receives, coded if all of them fit. Returns nullptr
// if there is no news.
Encoding* SnapshotSender::select(ClientId client, std::size_t room) {
  const bool is_coded = clients_[client].delta && coded_.slots() <= kSelectedSlotsMax;
  const auto coded = is_coded ? select_coded(client, room) : std::nullopt;
  return coded ? *coded : select_rows(client, room);
}

// Codes the bodies that the client receives. Returns nullptr if there is no news, or the client has
// not answered its first frame, and nothing if not all bodies fit. A frame has as few parts as are
// likely to arrive together, because it is lost with any of them.
std::optional<Encoding*> SnapshotSender::select_coded(ClientId client, std::size_t room) {
  std::size_t parts_max = std::min(room, codec::kDeltaPartsMax);
  while (parts_max > 1 && !arrives_whole(client, parts_max, kCoded.lost_parts)) parts_max /= 2;
  // The client has none of the bodies of earlier selections.
  const bool has_baseline = baselines_.of(client) != nullptr;
  if (!has_baseline) interest_.leave(client);
  Reader& reader = readers_[client];
  const double bytes = static_cast<double>(parts_max * codec::kDeltaPartBytes);
  const std::size_t most = 1 + static_cast<std::size_t>(bytes / reader.body_bytes);
  const codec::SnapshotSelection selection = interest_.select(client, most);
  if (selection.slots.size() >= most) return std::nullopt;
  const bool was_idle = clients_.world.tick().value >= reader.last_sent.value + idle_interval();
  if (!has_baseline && !was_idle) return nullptr;
  Encoding* const frame = coded_.selection(client, selection);
  if (frame == nullptr) return std::nullopt;
  const double count = static_cast<double>(std::max<std::size_t>(selection.slots.size(), 1));
  const double body_bytes = static_cast<double>(frame->bytes.size()) / count;
  reader.body_bytes += 0.25 * (std::max(body_bytes, kBodyBytesMin) - reader.body_bytes);
  if (frame->parts() > parts_max) return std::nullopt;
  const bool has_all =
      has_baseline && frame->baseline->bodies_checksum == frame->frame->bodies_checksum;
  return has_all && !is_overdue(client) ? nullptr : frame;
}

// Writes rows of the bodies with the highest priorities. Returns nullptr if there is no news.
Encoding* SnapshotSender::select_rows(ClientId client, std::size_t room) {
  const codec::SnapshotSelection selection =
      interest_.select(client, room * codec::kSelectionPartBodies, acknowledged(client));
  const bool has_news = !selection.slots.empty() || interest_.owes_masks(client);
  if (!has_news && !is_overdue(client)) return nullptr;
  Encoding& frame = rows_.selection(selection);
  interest_.note_sent(client, frame.parts());
  return &frame;
}

void SnapshotSender::send_frame(ClientId client, Encoding& frame, net::Nanoseconds now) {
  const codec::CommandReport report = clients_.inbox.report(client);
  const net::ServerPeer& peer = clients_[client];
  if (frame.is_coded) {
    coded_.cut(frame, report, parts_);
  } else {
    parts_.clear();
    for (std::size_t i = 0; i < frame.parts(); ++i) parts_.push_back(frame.rows.part(i, report));
  }
  const auto type = frame.is_coded ? net::MessageType::delta : net::MessageType::snapshot;
  clients_.endpoint.send_snapshot(client, type, parts_, now);
  clients_.inbox.reported(client);
  if (frame.is_coded != peer.delta) return;
  readers_[client].last_sent = clients_.world.tick();
  readers_[client].reported = report.input;
  if (!frame.frame) return;
  baselines_.sent(client, frame.frame, frame.is_coded && is_reliable(peer.link.address()));
}

// Returns the bodies that the client has, if it acknowledges rows.
Acknowledged SnapshotSender::acknowledged(ClientId client) {
  rows_.see_tick();
  if (!readers_[client].acknowledges || clients_[client].delta) return {};
  // an acknowledgement of what is sent now should come within this time
  const net::Nanoseconds time = 2 * clients_[client].link.path().round_trip() + net::kSecond / 10;
  const Baselines::Frame& baseline = baselines_.of(client);
  return {.changed = rows_.changed(),
          .all = baseline ? baseline->frame.tick : Tick{},
          .repeat_after = time * clients_.world.scene().tick_rate / net::kSecond};
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
  readers_[client].saves_until =
      world.tick().value + 1 + static_cast<std::uint64_t>(time * world.scene().tick_rate);
}

}  // namespace orrery::server
