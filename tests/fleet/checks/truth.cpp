// Records the states of the server, to check the states that clients show.
#include "tests/fleet/checks/truth.h"

#include <algorithm>

#include "common/codec/delta/delta_scene.h"
#include "common/core/limits.h"
#include "server/senders/followers.h"

namespace orrery::fleet {
namespace {

// Seconds of states kept. A client in mode follow may be kFollowSeconds late; the rest is margin.
constexpr std::uint64_t kSeconds = server::kFollowSeconds + 10;

Vec3 rounded(const Vec3& v, double limit) {
  const auto one = [limit](double x) {
    return double{static_cast<float>(std::clamp(x, -limit, limit))};
  };
  return {one(v.x), one(v.y), one(v.z)};
}

codec::BodyState seen(const World& world, std::uint32_t slot) {
  const physics::Bodies& bodies = world.bodies();
  const Quat q = bodies.orientation(slot);
  const Vec3 axis = rounded({q.x, q.y, q.z}, 1);
  return {.id = body_id(world, slot),
          .tick = world.tick(),
          .position = bodies.position(slot),
          .velocity = rounded(bodies.velocity(slot), limits::kSpeedMax),
          .orientation = {axis.x, axis.y, axis.z, double{static_cast<float>(q.w)}},
          .angular_velocity = rounded(bodies.angular_velocity(slot), limits::kAngularSpeedMax)};
}

bool same(const codec::BodyState& a, const codec::BodyState& b) {
  return a.id == b.id && a.tick == b.tick && a.position == b.position && a.velocity == b.velocity &&
         a.orientation == b.orientation && a.angular_velocity == b.angular_velocity;
}

bool same_pose(const codec::BodyState& a, const codec::BodyState& b) {
  return a.id == b.id && a.tick == b.tick && a.position == b.position &&
         a.orientation == b.orientation && a.prototype == b.prototype;
}

// Returns the state with its pose on the grid.
codec::BodyState on_grid(codec::BodyState state, const World& world, const codec::Grid& grid) {
  codec::QuantisedBody body;
  quantise(grid, state.position, world.bodies().orientation(slot_of(state.id)), body);
  state.position = position_of(grid, body);
  state.orientation = orientation_of(grid, body);
  state.prototype = world.controls().prototypes[slot_of(state.id)];
  return state;
}

}  // namespace

void Truth::remember(const World& world) {
  const std::uint32_t rate = world.scene().tick_rate;
  if (states_.empty()) states_.resize(kSeconds * rate);
  State& state = states_[count_++ % states_.size()];
  state.tick = world.tick();
  state.hash = world.hash();
  state.bodies.clear();
  state.on_grid.clear();
  if (world.tick().value % (rate / kSnapshotsPerSecond) != 0) return;
  const codec::Grid grid = codec::delta_scene_of(world.scene()).grid;
  for (std::uint32_t slot = 0; slot < world.bodies().capacity(); ++slot) {
    if (!world.bodies().alive(slot)) continue;
    state.bodies.push_back(seen(world, slot));
    state.on_grid.push_back(on_grid(state.bodies.back(), world, grid));
  }
}

template <class Predicate>
const Truth::State* Truth::find(Tick tick, Predicate is_it) const {
  if (count_ == 0) return nullptr;
  const Tick newest = states_[(count_ - 1) % states_.size()].tick;
  const std::uint64_t kept = std::min<std::uint64_t>(count_, states_.size());
  // Ticks are consecutive, so the state of `tick` is at least `back` states before the newest.
  // After a crash, ticks were undone and made again, so it may be further back.
  std::uint64_t back = newest > tick ? newest.value - tick.value : 0;
  for (; back < kept; ++back) {
    const State& state = states_[(count_ - 1 - back) % states_.size()];
    if (state.tick == tick && is_it(state)) return &state;
  }
  return nullptr;
}

std::optional<std::uint64_t> Truth::hash(Tick tick) const {
  const State* const state = find(tick, [](const State&) { return true; });
  return state ? std::optional(state->hash) : std::nullopt;
}

bool Truth::had(Tick tick, std::uint64_t hash) const {
  return find(tick, [hash](const State& state) { return state.hash == hash; }) != nullptr;
}

bool Truth::had(const client::Snapshot& snapshot) const {
  const auto is_all = [&snapshot](const State& state) {
    const auto& bodies = snapshot.rounded ? state.on_grid : state.bodies;
    return std::equal(bodies.begin(), bodies.end(), snapshot.bodies.begin(), snapshot.bodies.end(),
                      snapshot.rounded ? same_pose : same);
  };
  if (find(snapshot.tick, is_all)) return true;
  return !snapshot.whole && std::all_of(snapshot.bodies.begin(), snapshot.bodies.end(),
                                        [&](const codec::BodyState& body) {
                                          return body.tick <= snapshot.tick &&
                                                 (had(body, false) || had(body, true));
                                        });
}

bool Truth::had_bodies(const client::Snapshot& snapshot) const {
  const auto same_body = [](const codec::BodyState& a, const codec::BodyState& b) {
    return a.id == b.id;
  };
  const auto names_all = [&](const State& state) {
    return std::equal(state.bodies.begin(), state.bodies.end(), snapshot.bodies.begin(),
                      snapshot.bodies.end(), same_body);
  };
  return find(snapshot.tick, names_all) != nullptr;
}

bool Truth::had(codec::BodyState body, bool rounded) const {
  const auto has_it = [&body, rounded](const State& state) {
    const auto& bodies = rounded ? state.on_grid : state.bodies;
    const auto place = std::lower_bound(
        bodies.begin(), bodies.end(), slot_of(body.id),
        [](const codec::BodyState& other, std::uint32_t slot) { return slot_of(other.id) < slot; });
    return place != bodies.end() && (rounded ? same_pose : same)(*place, body);
  };
  // The server sends a changed body again within the time of the kept states. A body that it sent
  // before is therefore still as it was.
  body.tick = std::max(body.tick, oldest_with_bodies());
  return find(body.tick, has_it) != nullptr;
}

Tick Truth::oldest_with_bodies() const {
  for (std::uint64_t at = count_ - std::min<std::uint64_t>(count_, states_.size()); at < count_;
       ++at) {
    const State& state = states_[at % states_.size()];
    if (!state.bodies.empty()) return state.tick;
  }
  return {};
}

}  // namespace orrery::fleet
