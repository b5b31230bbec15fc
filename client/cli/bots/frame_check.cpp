// Checks the frames that a client shows, and keeps some of their poses.
#include "client/cli/bots/frame_check.h"

#include <algorithm>
#include <cmath>

namespace orrery::client {
namespace {

constexpr int kStatesPerBody = 120;          // number of states before it watches another body
constexpr std::size_t kStatesMax = 16;       // number of states whose ticks it remembers
constexpr std::ptrdiff_t kStatesBefore = 3;  // number of states that an extrapolated pose needs

// Largest difference between 1 and the length of an orientation.
constexpr double kLengthError = 1e-6;

bool is_finite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

bool is_rotation(const Quat& q) {
  const double squared = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  return std::abs(squared - 1) <= 2 * kLengthError;  // false for NaN
}

std::string at_tick(double tick) { return ", at tick " + std::to_string(tick); }

// Returns the item of this body in a list in ascending order of slots; end() if there is none.
auto find_body(const auto& list, BodyId body) {
  const auto at = std::lower_bound(
      list.begin(), list.end(), slot_of(body),
      [](const auto& item, std::uint32_t slot) { return slot_of(item.id) < slot; });
  return at != list.end() && at->id == body ? at : list.end();
}

}  // namespace

void FrameCheck::add(const Snapshot& state) {
  const bool is_newest = newest_ < state.tick;
  newest_ = std::max(newest_, state.tick);
  const bool has_body = body_ && find_body(state.bodies, *body_) != state.bodies.end();
  if (is_newest && !state.bodies.empty() && (!has_body || states_left_-- == 0)) watch(state);
  if (!body_) return;
  const auto body = find_body(state.bodies, *body_);
  if (body == state.bodies.end()) return;
  const std::uint64_t tick = body->tick.value;
  const auto at = std::lower_bound(states_.begin(), states_.end(), tick);
  if (at != states_.end() && *at == tick) return;
  states_.insert(at, tick);
  if (states_.size() > kStatesMax) states_.erase(states_.begin());
}

void FrameCheck::watch(const Snapshot& state) {
  body_ = state.bodies[random_.below(static_cast<std::uint32_t>(state.bodies.size()))].id;
  states_.clear();
  states_left_ = kStatesPerBody;
}

std::optional<std::string> FrameCheck::check(const Frame& frame) {
  if (frame.poses->empty()) return std::nullopt;
  ++frames_;
  const double before = std::exchange(tick_, frame.tick);
  if (!std::isfinite(frame.tick)) return "a shown tick is not finite";
  if (frame.tick < before) {
    return "the shown tick went back from " + std::to_string(before) + at_tick(frame.tick);
  }
  const BodyPose* last = nullptr;
  for (const BodyPose& pose : *frame.poses) {
    const std::string name = "body " + std::to_string(pose.id.value);
    if (!is_finite(pose.position) || !is_rotation(pose.orientation)) {
      return name + " was shown in no possible pose" + at_tick(frame.tick);
    }
    if (last && slot_of(last->id) >= slot_of(pose.id)) {
      return name + " was shown in the wrong order" + at_tick(frame.tick);
    }
    last = &pose;
  }
  keep(frame);
  return std::nullopt;
}

void FrameCheck::keep(const Frame& frame) {
  if (!body_) return;
  const auto pose = find_body(*frame.poses, *body_);
  const auto after = std::upper_bound(
      states_.begin(), states_.end(), frame.tick,
      [](double tick, std::uint64_t state) { return tick < static_cast<double>(state); });
  const auto known = std::min<std::ptrdiff_t>(after - states_.begin(), kStatesBefore);
  if (pose == frame.poses->end() || known == 0) return;
  // An extrapolated pose depends on the three newest states of the body. Some of them may have
  // arrived before this check began to watch the body.
  if (after == states_.end() && known < kStatesBefore) return;
  samples_.add(
      {frame.tick, *pose, *(after - 1), after == states_.end() ? 0 : *after, *(after - known)});
}

void FrameCheck::begin_epoch(double uncertain) {
  samples_.drop_after(static_cast<double>(newest_.value) - uncertain);
  tick_ = 0;
  newest_ = {};
  body_.reset();
}

}  // namespace orrery::client
