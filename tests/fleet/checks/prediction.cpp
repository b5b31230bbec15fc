// Checks how far the extrapolated poses of a client are from the true ones.
#include "tests/fleet/checks/prediction.h"

#include <algorithm>

#include "common/core/limits.h"
#include "common/math/range.h"

namespace orrery::fleet {
namespace {

// Relative rounding errors of velocities, which are sent as binary32, and of positions, which are
// sent as binary64. Both leave room for the growth of the error in the extrapolation.
constexpr double kRounding = 1e-6;
constexpr double kFarRounding = 1e-12;

// Returns the angle of a small rotation, in rad.
double angle_of(const Quat& q) { return 2 * length({q.x, q.y, q.z}); }

// The minimum and maximum of each component.
struct Range {
  Vec3 least;
  Vec3 most;

  void add(const Vec3& v) {
    least = {std::min(least.x, v.x), std::min(least.y, v.y), std::min(least.z, v.z)};
    most = {std::max(most.x, v.x), std::max(most.y, v.y), std::max(most.z, v.z)};
  }
};

}  // namespace

Prediction::Prediction(const World& world)
    : extrapolated_ticks_(static_cast<std::uint64_t>(
          client::BodyInterpolator::kExtrapolatedSeconds * world.scene().tick_rate)),
      frame_(world.tick_time(), world.scene().tick_rate) {
  heard_.resize(world.bodies().capacity());
  for (auto& moments : moments_) moments.resize(world.bodies().capacity());
}

void Prediction::add(const client::Snapshot& snapshot) {
  frame_.add(snapshot);
  for (const codec::BodyState& body : snapshot.bodies) {
    Heard& heard = heard_[slot_of(body.id)];
    if (heard.id != body.id) heard = {body.id, {}};
    if (heard.ticks.back() == body.tick.value) continue;
    std::shift_left(heard.ticks.begin(), heard.ticks.end(), 1);
    heard.ticks.back() = body.tick.value;
  }
}

void Prediction::remember(const World& world) {
  auto& moments = moments_[world.tick().value % kMoments];
  for (std::uint32_t slot = 0; slot < moments.size(); ++slot) {
    moments[slot] = {};
    if (!world.bodies().alive(slot) || world.bodies().inverse_mass(slot) == 0) continue;
    Moment& moment = moments[slot];
    moment = {false, body_id(world, slot), world.bodies().velocity(slot),
              world.bodies().angular_velocity(slot)};
    // A snapshot clamps velocities to these limits. A faster body would seem slower to the client,
    // so it is not checked.
    moment.free =
        within(moment.velocity, limits::kSpeedMax) && within(moment.spin, limits::kAngularSpeedMax);
  }
  for (const Client& client : world.controls().clients) {
    if (client.grabbing) moments[slot_of(client.grabbed)].free = false;
  }
  if (!world.collision()) return;
  for (const physics::ContactKey key : world.collision()->solver.contacts().keys()) {
    moments[key.slot_a()].free = moments[key.slot_b()].free = false;
  }
  for (const JointDef& joint : world.scene().joints) {
    moments[joint.a].free = moments[joint.b].free = false;
  }
  for (const SpringDef& spring : world.scene().springs) {
    moments[spring.a].free = moments[spring.b].free = false;
  }
  for (const TetherDef& tether : world.scene().tethers) moments[tether.body].free = false;
}

std::optional<std::string> Prediction::check(const World& world) {
  remember(world);
  const std::uint64_t now = world.tick().value;
  std::optional<std::string> wrong;
  for (const Miss& miss : misses_) {
    if (at(now, miss.slot).free) wrong = miss.what;
  }
  misses_.clear();
  for (const client::BodyPose& pose : frame_.advance(static_cast<double>(now))) {
    if (contains(world, pose.id)) compare(world, pose);
  }
  return wrong;
}

// Returns true if nothing touched or held the body since the first state from which the client
// extrapolates. Returns false if the client has too few states, or if the last one is of this tick
// or too old to extrapolate from.
bool Prediction::was_free(const Heard& heard, std::uint64_t now) const {
  const std::uint64_t first = heard.ticks.front();
  if (first == 0 || now - first >= kMoments || heard.ticks.back() == now) return false;
  for (std::uint64_t tick = first; tick <= now; ++tick) {
    const Moment& moment = moments_[tick % kMoments][slot_of(heard.id)];
    if (!moment.free || moment.id != heard.id) return false;
  }
  return now - heard.ticks.back() <= extrapolated_ticks_;
}

// Compares one pose with the truth. The limits exceed the sum of these errors:
//
// 1. The BodyInterpolator extrapolates an acceleration that lies outside the range of the past ones
//    by at most a third of the range. The true acceleration lies inside the range, so the two
//    differ by at most 4/3 of it. The position then differs by 2/3 of the range times the squared
//    time.
// 2. With a method of order 1, the mean velocity of a step differs from the velocity after it by
//    half of acceleration * step. The BodyInterpolator estimates accelerations from positions and
//    velocities. Their error is at most three of these differences, divided by the time between two
//    states.
// 3. The BodyInterpolator keeps the spin constant, and in fact the spin changes.
// 4. In one step the Cayley transform rotates by less than spin * step: the relative difference is
//    (spin * step)^2 / 12.
void Prediction::compare(const World& world, const client::BodyPose& pose) {
  const std::uint32_t slot = slot_of(pose.id);
  const std::uint64_t now = world.tick().value;
  const Heard& heard = heard_[slot];
  if (heard.id != pose.id || !was_free(heard, now)) return;
  Range pushes;
  double push = 0;
  double turn = 0;
  for (std::uint64_t tick = heard.ticks.front() + 1; tick <= now; ++tick) {
    const Moment& before = at(tick - 1, slot);
    const Vec3 a = (1 / world.tick_time()) * (at(tick, slot).velocity - before.velocity);
    if (tick == heard.ticks.front() + 1) pushes = {a, a};
    pushes.add(a);
    push = std::max(push, length(a));
    turn = std::max(turn, length(at(tick, slot).spin - before.spin) / world.tick_time());
  }
  const double time = static_cast<double>(now - heard.ticks.back()) * world.tick_time();
  const double change = length(pushes.most - pushes.least);
  const double step = world.substep_time();
  const double speed = length(at(now, slot).velocity);
  const double far = length(pose.position - world.bodies().position(slot));
  const double rounding = kRounding * (1 + speed) + kFarRounding * length(pose.position);
  const double told = static_cast<double>(heard.ticks[2] - heard.ticks[1]) * world.tick_time();
  const double far_most = rounding + time * (change * time + push * step * (1 + 2 * time / told));
  const double turned = angle_of(pose.orientation * conjugate(world.bodies().orientation(slot)));
  const double spin = length(at(now, slot).spin);
  const double turned_most = kRounding * (1 + spin) + turn * time * (time + step) +
                             spin * time * (spin * step) * (spin * step) / 8;
  ++compared_;
  if (far <= far_most && turned <= turned_most) return;
  misses_.push_back({slot, "the body in slot " + std::to_string(slot) + " is shown " +
                               std::to_string(far) + " m and " + std::to_string(turned) +
                               " rad off, and the limits are " + std::to_string(far_most) +
                               " and " + std::to_string(turned_most)});
}

}  // namespace orrery::fleet
