// Selects the bodies to send to a client by their priorities.
#include "server/senders/interest.h"

#include <algorithm>
#include <utility>

#include "common/core/limits.h"

namespace orrery::server {
namespace {

// Priority that a body gains with each snapshot: the sum of the values below that apply to it.
constexpr std::uint32_t kAny = 1;
constexpr std::uint32_t kMoving = 8;
constexpr std::uint32_t kNear = 16;  // within half the interest radius
constexpr std::uint32_t kOwn = 64;

// The initial priority of a body that the client does not know, and its priority after it was sent
// for the first time. The datagram may be lost, so the body is soon sent again.
constexpr std::uint32_t kNew = 256;
constexpr std::uint32_t kSentOnce = kNew / 2;

constexpr std::uint32_t kNone = 0xffffffff;  // id of no body

// Maximum number of a client's bodies from which distances are measured. Without a limit, a client
// that spawns many bodies would slow the tick.
constexpr std::size_t kOwnMax = 8;

std::uint64_t bit_of(std::uint32_t slot) { return std::uint64_t{1} << slot % limits::kTileBodies; }

bool is_zero(const Vec3& v) { return v.x == 0 && v.y == 0 && v.z == 0; }

}  // namespace

Interest::Interest(const World& world)
    : world_(world), waiting_(limits::kClientsMax), told_all_(limits::kClientsMax) {}

void Interest::leave(ClientId client) {
  waiting_[client] = {};
  told_all_[client] = 0;
}

std::uint32_t Interest::id_at(std::uint32_t slot) const {
  return world_.bodies().alive(slot) ? body_id(world_, slot).value : kNone;
}

void Interest::know_all(Waiting& waiting) const {
  for (std::uint32_t slot = 0; slot < world_.bodies().slots(); ++slot) {
    waiting.known[slot] = id_at(slot);
  }
}

codec::SnapshotSelection Interest::select(ClientId client, std::size_t most,
                                          const Acknowledged& acknowledged) {
  Waiting& waiting = waiting_[client];
  waiting.priorities.resize(world_.bodies().capacity(), kNew);
  waiting.known.resize(world_.bodies().capacity(), kNone);
  if (!acknowledged.changed.empty()) {
    ORRERY_ASSERT(acknowledged.changed.size() >= world_.bodies().slots());
    waiting.deliveries.resize(world_.bodies().capacity());
  }
  if (std::exchange(told_all_[client], 0) != 0) know_all(waiting);
  const auto& clients = world_.controls().clients;
  const auto joined = std::find_if(clients.begin(), clients.end(),
                                   [client](const Client& c) { return c.id == client; });
  gather(joined == clients.end() ? Client{.id = client} : *joined, acknowledged, waiting);
  keep_first(most, waiting);
  const std::size_t turns = std::max<std::size_t>(1, codec::presence_parts(told_.size()));
  waiting.turn = static_cast<std::uint32_t>(waiting.turn % turns);
  const std::size_t room = most / codec::kSelectionPartBodies;
  const std::size_t masks = std::min<std::size_t>({waiting.masks_owed, turns, room});
  return {.slots = slots_,
          .presence = told_,
          .first_presence_part = waiting.turn,
          .parts_min = std::max<std::size_t>(1, masks)};
}

void Interest::note_sent(ClientId client, std::size_t parts) {
  Waiting& waiting = waiting_[client];
  waiting.turn += static_cast<std::uint32_t>(parts);
  waiting.masks_owed -=
      static_cast<std::uint32_t>(std::min<std::size_t>(waiting.masks_owed, parts));
}

bool Interest::is_own(std::uint32_t slot, const Client& client) const {
  if (world_.controls().owners[slot] == owner_number(client)) return true;
  return client.grabbing && slot_of(client.grabbed) == slot;
}

// Fills own_ with the positions of the client's bodies, the grabbed body first.
void Interest::find_own(const Client& client) {
  own_.clear();
  if (client.grabbing && contains(world_, client.grabbed)) {
    own_.push_back(world_.bodies().position(slot_of(client.grabbed)));
  }
  for (std::uint32_t slot = 0; slot < world_.bodies().slots() && own_.size() < kOwnMax; ++slot) {
    const bool owned = world_.controls().owners[slot] == owner_number(client);
    if (owned && world_.bodies().alive(slot)) own_.push_back(world_.bodies().position(slot));
  }
}

// Returns the priority that a body gains with a snapshot, or 0 if the client does not receive this
// body.
std::uint32_t Interest::gain(std::uint32_t slot, const Client& client) const {
  const Bodies& bodies = world_.bodies();
  const bool moves = !is_zero(bodies.velocity(slot)) || !is_zero(bodies.angular_velocity(slot));
  const std::uint32_t gain = kAny + (moves ? kMoving : 0);
  if (is_own(slot, client)) return gain + kOwn;
  const double radius = world_.scene().interest_radius;
  if (radius == 0 || own_.empty()) return gain;
  double nearest = radius * radius * 2;
  for (const Vec3& own : own_) {
    const Vec3 way = bodies.position(slot) - own;
    nearest = std::min(nearest, dot(way, way));
  }
  if (nearest > radius * radius) return 0;
  return gain + (nearest <= radius * radius / 4 ? kNear : 0);
}

// Returns true if the client has the body as it is, or was sent it so lately that it may have it.
bool Interest::is_settled(std::uint32_t slot, const Acknowledged& acknowledged,
                          const Waiting& waiting) const {
  if (acknowledged.changed.empty()) return false;
  const Delivery& delivery = waiting.deliveries[slot];
  const Tick changed = acknowledged.changed[slot];
  if (changed <= acknowledged.all) return true;
  if (changed > delivery.sent) return false;
  const std::uint64_t repeat_at = delivery.sent.value + acknowledged.repeat_after;
  return delivery.arrived || world_.tick().value < repeat_at;
}

// Notes that the client gets no body of this slot any more. The presence masks tell it. They are
// sent twice soon, in case a part is lost.
void Interest::forget(std::uint32_t slot, Waiting& waiting) const {
  if (waiting.known[slot] == kNone) return;
  waiting.known[slot] = kNone;
  waiting.priorities[slot] = kNew;
  if (!waiting.deliveries.empty()) waiting.deliveries[slot] = {};
  waiting.masks_owed = static_cast<std::uint32_t>(2 * codec::presence_parts(told_.size()));
}

// Adds the gains of this snapshot and collects the candidates. If a slot has another body than the
// client knows, the selection reports the slot as empty until the new body is sent.
void Interest::gather(const Client& client, const Acknowledged& acknowledged, Waiting& waiting) {
  find_own(client);
  candidates_.clear();
  told_.assign(world_.bodies().tiles(), 0);
  for (Delivery& delivery : waiting.deliveries) {
    if (delivery.sent == waiting.acknowledged) delivery.arrived = true;
  }
  for (std::uint32_t slot = 0; slot < world_.bodies().slots(); ++slot) {
    const std::uint32_t gained = world_.bodies().alive(slot) ? gain(slot, client) : 0;
    if (gained == 0 || waiting.known[slot] != id_at(slot)) forget(slot, waiting);
    if (gained == 0) continue;
    if (waiting.known[slot] != kNone) told_[slot / limits::kTileBodies] |= bit_of(slot);
    if (is_settled(slot, acknowledged, waiting)) continue;
    waiting.priorities[slot] += gained;
    candidates_.push_back({waiting.priorities[slot], slot});
  }
}

// Keeps the `most` candidates of the highest priorities and records that they are sent.
void Interest::keep_first(std::size_t most, Waiting& waiting) {
  if (candidates_.size() > most) {
    const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(candidates_.begin(), end, candidates_.end(),
                     [](const Candidate& a, const Candidate& b) {
                       return a.priority != b.priority ? a.priority > b.priority : a.slot < b.slot;
                     });
    candidates_.resize(most);
  }
  slots_.clear();
  for (const Candidate& candidate : candidates_) {
    const std::uint32_t slot = candidate.slot;
    const bool is_new = waiting.known[slot] == kNone;
    waiting.priorities[slot] = is_new ? kSentOnce : 0;
    waiting.known[slot] = id_at(slot);
    if (!waiting.deliveries.empty()) waiting.deliveries[slot] = {.sent = world_.tick()};
    told_[slot / limits::kTileBodies] |= bit_of(slot);
    slots_.push_back(slot);
  }
  std::sort(slots_.begin(), slots_.end());
}

}  // namespace orrery::server
