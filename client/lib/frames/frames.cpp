// Gives the poses of all bodies at the moment of a frame, from the states that arrived.
#include "client/lib/frames/frames.h"

namespace orrery::client {
namespace {

double seconds(net::Nanoseconds time) { return static_cast<double>(time) / net::kSecond; }

Motion motion_of(FrameMode mode) {
  if (mode == FrameMode::interpolate) return Motion::interpolate;
  return mode == FrameMode::published_verlet ? Motion::published_verlet : Motion::verlet;
}

// Replaces `out` by the state of a world.
void copy_state(const World& world, Snapshot& out) {
  const auto& bodies = world.bodies();
  out.tick = world.tick();
  out.bodies.clear();
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    if (!bodies.alive(slot)) continue;
    out.bodies.push_back({body_id(world, slot), world.tick(), bodies.position(slot),
                          bodies.velocity(slot), bodies.orientation(slot),
                          bodies.angular_velocity(slot), world.controls().prototypes[slot]});
  }
}

}  // namespace

Frames::Frames(double tick_time, double tick_rate)
    : clock_(tick_rate), bodies_(tick_time, tick_rate) {}

void Frames::add(const Snapshot& state, net::Nanoseconds now) {
  bodies_.add(state);
  clock_.arrived(state.tick, seconds(now));
  state_at_ = now;
}

void Frames::add(const World& world, net::Nanoseconds now) {
  follows_ = true;
  copy_state(world, followed_);
  add(followed_, now);
}

Frame Frames::at(net::Nanoseconds now, FrameMode mode) {
  const double tick = clock_.at(seconds(now));
  if (mode == FrameMode::follow && follows_) {
    return {static_cast<double>(followed_.tick.value), &exact(now)};
  }
  bodies_.set_motion(motion_of(mode));
  bodies_.set_extrapolated(clock_.extrapolated());
  return {tick, &bodies_.advance(tick)};
}

const std::vector<BodyPose>& Frames::exact(net::Nanoseconds now) {
  const double age = now > state_at_ ? seconds(now - state_at_) : 0;
  const Quality quality =
      age > BodyInterpolator::kExtrapolatedSeconds ? Quality::stale : Quality::exact;
  exact_.clear();
  for (const codec::BodyState& body : followed_.bodies) {
    exact_.push_back({body.id, body.prototype, quality, body.position, body.orientation});
  }
  return exact_;
}

}  // namespace orrery::client
