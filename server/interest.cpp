// Owns the priorities of bodies.
#include "server/interest.h"

#include <algorithm>

#include "common/core/limits.h"

namespace orrery {
namespace {

// What a body gathers in a snapshot: the sum of what is true of it.
constexpr std::uint32_t kAny = 1;
constexpr std::uint32_t kMoving = 8;
constexpr std::uint32_t kNear = 16;  // within half the radius
constexpr std::uint32_t kOwn = 64;

// Of a body that the client has not been told of.
constexpr std::uint32_t kNew = 256;

// Distances are taken from so many bodies of a client, those of the lowest slots, so that who has
// made many does not hold up a tick.
constexpr std::size_t kOwnMax = 8;

bool is_zero(const Vec3& v) { return v.x == 0 && v.y == 0 && v.z == 0; }

}  // namespace

Interest::Interest(const World& world) : world_(world), waiting_(limits::kClientsMax) {}

void Interest::leave(ClientId client) {
  ORRERY_ASSERT(client.value >= 1 && client.value <= waiting_.size());
  waiting_[client.value - 1] = {};
}

SnapshotSelection Interest::select(ClientId client, std::size_t most) {
  ORRERY_ASSERT(client.value >= 1 && client.value <= waiting_.size());
  Waiting& waiting = waiting_[client.value - 1];
  if (waiting.priorities.empty()) waiting.priorities.assign(world_.bodies.capacity(), kNew);
  const auto& clients = world_.controls.clients;
  const auto known = std::find_if(clients.begin(), clients.end(),
                                  [client](const Client& c) { return c.id == client; });
  gather(known == clients.end() ? Client{.id = client} : *known, waiting);
  keep_first(most, waiting);
  const std::uint32_t turns = (world_.bodies.tiles() + kSnapshotTiles - 1) / kSnapshotTiles;
  const std::uint32_t turn = turns == 0 ? 0 : waiting.turn++ % turns;
  return {slots_, told_, turn * kSnapshotTiles};
}

bool Interest::is_own(std::uint32_t slot, const Client& client) const {
  if (world_.controls.owners[slot] == client.id.value) return true;
  return client.grabbing && slot_of(client.grabbed) == slot;
}

void Interest::find_own(const Client& client) {
  own_.clear();
  for (std::uint32_t slot = 0; slot < world_.bodies.slots() && own_.size() < kOwnMax; ++slot) {
    const bool own = world_.bodies.alive(slot) && is_own(slot, client);
    if (own) own_.push_back(world_.bodies.position(slot));
  }
}

// 0: the client is not told of it.
std::uint32_t Interest::gain(std::uint32_t slot, const Client& client) const {
  const Bodies& bodies = world_.bodies;
  const bool moves = !is_zero(bodies.velocity(slot)) || !is_zero(bodies.angular_velocity(slot));
  const std::uint32_t gain = kAny + (moves ? kMoving : 0);
  if (is_own(slot, client)) return gain + kOwn;
  const double radius = world_.scene.interest_radius;
  if (radius == 0 || own_.empty()) return gain;
  double nearest = radius * radius * 2;
  for (const Vec3& own : own_) {
    const Vec3 way = bodies.position(slot) - own;
    nearest = std::min(nearest, dot(way, way));
  }
  if (nearest > radius * radius) return 0;
  return gain + (nearest <= radius * radius / 4 ? kNear : 0);
}

void Interest::gather(const Client& client, Waiting& waiting) {
  find_own(client);
  candidates_.clear();
  told_.assign(world_.bodies.tiles(), 0);
  for (std::uint32_t slot = 0; slot < world_.bodies.slots(); ++slot) {
    std::uint32_t& priority = waiting.priorities[slot];
    const std::uint32_t gained = world_.bodies.alive(slot) ? gain(slot, client) : 0;
    if (gained == 0) {
      priority = kNew;
      continue;
    }
    priority += gained;
    candidates_.push_back({priority, slot});
    told_[slot / limits::kTileBodies] |= std::uint64_t{1} << slot % limits::kTileBodies;
  }
}

// The candidates of the highest priorities, and those are sent.
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
    waiting.priorities[candidate.slot] = 0;
    slots_.push_back(candidate.slot);
  }
  std::sort(slots_.begin(), slots_.end());
}

}  // namespace orrery
