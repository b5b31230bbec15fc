// Finds the bodies that changed, and shares encodings of them.
#include "server/senders/plain_snapshots.h"

#include <algorithm>

#include "common/core/limits.h"

namespace orrery::server {
namespace {

// Acknowledged ticks for which a tick makes a snapshot, one of which is none. Clients with further
// ticks get all bodies.
constexpr std::size_t kEncodingsPerTick = 32;

// Snapshots a second to a client that has the present state.
constexpr std::uint32_t kIdlePerSecond = 10;

}  // namespace

PlainSnapshots::PlainSnapshots(const World& world) : world_(world), readers_(limits::kClientsMax) {
  encodings_.resize(kEncodingsPerTick);
}

void PlainSnapshots::acknowledge(ClientId client, Tick tick) {
  Reader& reader = readers_[client];
  reader.acknowledges = true;
  const bool was_sent =
      std::find(reader.sent.begin(), reader.sent.end(), tick) != reader.sent.end();
  if (was_sent && tick > reader.has) reader.has = tick;
}

PlainSnapshots::Seen PlainSnapshots::look(std::uint32_t slot) const {
  const Bodies& bodies = world_.bodies();
  if (slot >= bodies.slots() || !bodies.alive(slot)) return {};
  return {.id = body_id(world_, slot),
          .present = true,
          .position = bodies.position(slot),
          .velocity = bodies.velocity(slot),
          .orientation = bodies.orientation(slot),
          .angular_velocity = bodies.angular_velocity(slot)};
}

// Compares all bodies with the ones seen before. A change that is noticed late counts as one of
// this tick: a body is sent once too often, never too seldom. Once a client has acknowledged, this
// runs in each tick with a snapshot, so that a body that is changed and changed back is noticed.
void PlainSnapshots::see_tick() {
  const Tick tick = world_.tick();
  if (tick_ == tick && !seen_.empty()) return;
  tick_ = tick;
  const std::size_t slots = std::max<std::size_t>(seen_.size(), world_.bodies().slots());
  seen_.resize(slots);
  changed_.resize(slots);
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const Seen now = look(slot);
    if (now == seen_[slot]) continue;
    seen_[slot] = now;
    changed_[slot] = last_change_ = tick;
  }
}

bool PlainSnapshots::is_overdue(ClientId client, Sequence input) const {
  const Reader& reader = readers_[client];
  const std::uint64_t idle = std::max(world_.scene().tick_rate / kIdlePerSecond, 1u);
  return !reader.acknowledges || reader.reported != input ||
         world_.tick().value >= reader.last_sent.value + idle;
}

bool PlainSnapshots::is_due(ClientId client, Sequence input) {
  const Reader& reader = readers_[client];
  if (reader.has.value == 0) return true;
  see_tick();
  return last_change_ > reader.has || is_overdue(client, input);
}

Acknowledged PlainSnapshots::acknowledged(ClientId client, std::uint64_t repeat_after) {
  const Reader& reader = readers_[client];
  if (reader.acknowledges || !seen_.empty()) see_tick();
  if (!reader.acknowledges) return {};
  return {.changed = changed_, .all = reader.has, .repeat_after = repeat_after};
}

// Selects the bodies that changed after a tick. Returns false if a snapshot of all bodies has fewer
// parts.
bool PlainSnapshots::select_changed(Tick since) {
  const Bodies& bodies = world_.bodies();
  slots_.clear();
  for (std::uint32_t slot = 0; slot < seen_.size(); ++slot) {
    if (changed_[slot] > since && seen_[slot].present) slots_.push_back(slot);
  }
  alive_.clear();
  for (std::uint32_t tile = 0; tile < bodies.tiles(); ++tile) {
    alive_.push_back(bodies.alive_mask(tile));
  }
  const auto parts_of = [](std::size_t count, std::size_t each) {
    return std::max<std::size_t>(1, (count + each - 1) / each);
  };
  const std::size_t parts = std::max(parts_of(slots_.size(), codec::kSelectionPartBodies),
                                     codec::presence_parts(alive_.size()));
  return parts < parts_of(bodies.count(), codec::kSnapshotPartBodies);
}

codec::SnapshotEncoder& PlainSnapshots::encode(ClientId client) {
  if (!seen_.empty()) see_tick();
  // The first encoding has all bodies.
  if (encoded_at_ != world_.tick() || encoded_ == 0) {
    encodings_[0].snapshot.encode(world_);
    encoded_at_ = world_.tick();
    encoded_ = 1;
  }
  const Tick has = readers_[client].has;
  const auto end = encodings_.begin() + static_cast<std::ptrdiff_t>(encoded_);
  const auto known =
      std::find_if(encodings_.begin(), end, [&](const Encoding& e) { return e.has == has; });
  if (known != end) return known->is_whole ? encodings_[0].snapshot : known->snapshot;
  if (encoded_ == encodings_.size()) return encodings_[0].snapshot;
  ++encoded_;
  end->has = has;
  end->is_whole = !select_changed(has);
  if (end->is_whole) return encodings_[0].snapshot;
  end->snapshot.encode(
      world_, {.slots = slots_,
               .presence = alive_,
               .first_presence_part = 0,
               .parts_min = std::max<std::size_t>(1, codec::presence_parts(alive_.size()))});
  return end->snapshot;
}

void PlainSnapshots::note_sent(ClientId client, Sequence input) {
  note_selection(client, input);
  Reader& reader = readers_[client];
  reader.sent[reader.next] = reader.last_sent;
  reader.next = (reader.next + 1) % reader.sent.size();
}

void PlainSnapshots::note_selection(ClientId client, Sequence input) {
  readers_[client].last_sent = world_.tick();
  readers_[client].reported = input;
}

}  // namespace orrery::server
