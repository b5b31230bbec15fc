// Computes the poses that a client draws, between snapshots and beyond the newest.
#include "client/lib/body_interpolator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/core/assert.h"

namespace orrery::client {
namespace {

// Shortest step, in ticks. If less time has passed, the body stays until a later frame. The formula
// of the step divides by the length of the previous step, and rounding would make a very short
// length inaccurate.
constexpr double kShortestTicks = 1e-6;

constexpr double kNever = std::numeric_limits<double>::infinity();

// Returns the rotation by a rotation vector, in radians.
Quat rotation(const Vec3& turned) {
  const double angle = length(turned);
  if (angle < 1e-9) return normalized({turned.x / 2, turned.y / 2, turned.z / 2, 1});
  const double s = std::sin(angle / 2) / angle;
  return {s * turned.x, s * turned.y, s * turned.z, std::cos(angle / 2)};
}

// Returns about the share `part` of a rotation. Takes the shorter way, of at most half a turn.
Quat partial(const Quat& whole, double part) {
  const Quat q = whole.w < 0 ? Quat{-whole.x, -whole.y, -whole.z, -whole.w} : whole;
  return normalized({part * q.x, part * q.y, part * q.z, 1 - part + part * q.w});
}

// Returns the number nearer to zero, or 0 if the signs differ.
double nearer_to_zero(double a, double b) {
  if (a * b <= 0) return 0;
  return std::abs(a) < std::abs(b) ? a : b;
}

Vec3 nearer_to_zero(const Vec3& a, const Vec3& b) {
  return {nearer_to_zero(a.x, b.x), nearer_to_zero(a.y, b.y), nearer_to_zero(a.z, b.z)};
}

// Returns the second derivative of the cubic Hermite curve from a to b at share `s` of its duration
// h.
Vec3 cubic_acceleration(const codec::BodyState& a, const codec::BodyState& b, double h, double s) {
  const Vec3 slope = (1 / h) * (b.position - a.position);
  const Vec3 first = (2 / h) * (3 * slope - 2 * a.velocity - b.velocity);
  const Vec3 last = (2 / h) * (a.velocity + 2 * b.velocity - 3 * slope);
  return first + s * (last - first);
}

}  // namespace

BodyInterpolator::BodyInterpolator(double tick_time, double tick_rate, Motion motion)
    : tick_time_(tick_time), extrapolated_(kExtrapolatedSeconds * tick_rate), motion_(motion) {
  ORRERY_ASSERT(tick_time > 0 && tick_rate > 0);
  ORRERY_ASSERT(std::isfinite(tick_time) && std::isfinite(tick_rate));
}

void BodyInterpolator::add(const Snapshot& snapshot) {
  const auto tick = static_cast<double>(snapshot.tick.value);
  newest_ = std::max(newest_, tick);
  add_tracks(snapshot.bodies);
  for (const codec::BodyState& body : snapshot.bodies) {
    Track& track = track_of(body);
    if (track.id == body.id) insert(track, {static_cast<double>(body.tick.value), body});
  }
  auto body = snapshot.bodies.begin();
  for (Track& track : tracks_) {
    while (body != snapshot.bodies.end() && slot_of(body->id) < slot_of(track.id)) ++body;
    const bool present = body != snapshot.bodies.end() && body->id == track.id;
    const bool known_later = track.samples.back().tick >= tick;
    if (!present && !known_later) track.gone = std::min(track.gone, tick);
  }
  std::erase_if(tracks_, [&](const Track& track) { return track.gone <= now_; });
}

BodyInterpolator::Track BodyInterpolator::fresh_track(const codec::BodyState& body) {
  Track track;
  track.id = body.id;
  track.born = static_cast<double>(body.tick.value);
  track.gone = kNever;
  return track;
}

// Adds tracks for bodies in new slots, all at once, because there may be a million.
void BodyInterpolator::add_tracks(const std::vector<codec::BodyState>& bodies) {
  const auto by_slot = [](const Track& a, const Track& b) { return slot_of(a.id) < slot_of(b.id); };
  const auto known = static_cast<std::ptrdiff_t>(tracks_.size());
  for (const codec::BodyState& body : bodies) {
    const Track fresh = fresh_track(body);
    const auto end = tracks_.begin() + known;
    const auto at = std::lower_bound(tracks_.begin(), end, fresh, by_slot);
    if (at == end || by_slot(fresh, *at)) tracks_.push_back(fresh);
  }
  std::inplace_merge(tracks_.begin(), tracks_.begin() + known, tracks_.end(), by_slot);
}

// Returns the track of a body's slot. If a newer body has reused the slot, its track replaces the
// old one. If `body` comes from an old snapshot, the returned track may belong to the newer body.
BodyInterpolator::Track& BodyInterpolator::track_of(const codec::BodyState& body) {
  const auto at = std::lower_bound(
      tracks_.begin(), tracks_.end(), slot_of(body.id),
      [](const Track& track, std::uint32_t slot) { return slot_of(track.id) < slot; });
  ORRERY_ASSERT(at != tracks_.end() && slot_of(at->id) == slot_of(body.id));
  const auto tick = static_cast<double>(body.tick.value);
  if (at->id != body.id && at->samples.back().tick < tick) *at = fresh_track(body);
  return *at;
}

void BodyInterpolator::insert(Track& track, const Sample& sample) {
  auto& samples = track.samples;
  std::size_t at = samples.size();
  while (at > 0 && samples[at - 1].tick > sample.tick) --at;
  if (at > 0 && samples[at - 1].tick == sample.tick) return;
  if (samples.size() == kSamples) {
    if (at == 0) return;  // older than every kept sample
    samples.erase(samples.begin());
    --at;
  }
  const auto place = samples.begin() + static_cast<std::ptrdiff_t>(at);
  samples.insert(place, sample)->state.orientation = normalized(sample.state.orientation);
  track.born = std::min(track.born, sample.tick);
  if (track.gone <= sample.tick) track.gone = kNever;
}

const std::vector<BodyPose>& BodyInterpolator::advance(double tick) {
  if (!std::isnan(tick)) now_ = std::clamp(tick, 0.0, newest_ + extrapolated_);
  poses_.clear();
  for (Track& track : tracks_) {
    if (now_ < track.born || now_ >= track.gone) continue;
    std::size_t from = track.samples.size() - 1;
    while (from > 0 && track.samples[from].tick > now_) --from;
    const double last = track.samples.back().tick + extrapolated_;
    const double at = std::clamp(now_, track.samples[from].tick, last);
    const Quality quality = now_ < last ? Quality::interpolated : Quality::stale;
    poses_.push_back({track.id, track.samples.back().state.prototype, quality,
                      position(track, from, at), turn(track, from, at)});
  }
  return poses_;
}

// Returns the acceleration at `tick`, which is at or after sample `from` and before the next
// sample, if there is one.
Vec3 BodyInterpolator::acceleration(const Track& track, std::size_t from, double tick) const {
  if (from + 1 == track.samples.size()) return acceleration_beyond(track);
  const Sample& a = track.samples[from];
  const Sample& b = track.samples[from + 1];
  const double ticks = b.tick - a.tick;
  return cubic_acceleration(a.state, b.state, ticks * tick_time_, (tick - a.tick) / ticks);
}

// Returns the acceleration after the last sample. Compares the mean acceleration in the second last
// interval with the acceleration at the end of the last interval. In each component takes the one
// nearer to zero, or 0 if their signs differ. A collision affects only one interval and is over, so
// it is ignored.
Vec3 BodyInterpolator::acceleration_beyond(const Track& track) const {
  if (track.samples.size() < 3) return {};
  const Sample* s = &track.samples[track.samples.size() - 3];
  const double earlier = (s[1].tick - s[0].tick) * tick_time_;
  const double later = (s[2].tick - s[1].tick) * tick_time_;
  return nearer_to_zero((1 / earlier) * (s[1].state.velocity - s[0].state.velocity),
                        cubic_acceleration(s[1].state, s[2].state, later, 1));
}

// Returns the position at `tick` on the cubic Hermite curve from a to b.
Vec3 BodyInterpolator::on_cubic(const Sample& a, const Sample& b, double tick) const {
  const double h = (b.tick - a.tick) * tick_time_;
  const double s = (tick - a.tick) / (b.tick - a.tick);
  const double r = 1 - s;
  return r * r * ((1 + 2 * s) * a.state.position + s * h * a.state.velocity) +
         s * s * ((1 + 2 * r) * b.state.position - r * h * b.state.velocity);
}

// Returns true if the body can have moved from a to b under a constant acceleration, as in free
// flight. The displacement is then the mean velocity times the time, which no push in between
// allows. The tolerance covers velocities in binary32 and steps of the server.
bool BodyInterpolator::flies(const Sample& a, const Sample& b) const {
  const double h = (b.tick - a.tick) * tick_time_;
  const Vec3 moved = b.state.position - a.state.position;
  const Vec3 error = moved - (h / 2) * (a.state.velocity + b.state.velocity);
  return length(error) <=
         0.02 * length(moved) + 0.13 * h * length(b.state.velocity - a.state.velocity);
}

Vec3 BodyInterpolator::position(Track& track, std::size_t from, double tick) const {
  if (motion_ != Motion::interpolate) return move(track, from, tick);
  track.moving = false;  // a later change to Verlet starts from a state
  track.started = -1;
  return interpolated(track, from, tick);
}

Vec3 BodyInterpolator::interpolated(const Track& track, std::size_t from, double tick) const {
  const Sample& a = track.samples[from];
  if (from + 1 == track.samples.size()) {
    const double t = (tick - a.tick) * tick_time_;
    return a.state.position + t * a.state.velocity + (t * t / 2) * acceleration_beyond(track);
  }
  const Sample& b = track.samples[from + 1];
  if (flies(a, b)) return on_cubic(a, b, tick);
  const double share = (tick - a.tick) / (b.tick - a.tick);
  return a.state.position + share * (b.state.position - a.state.position);
}

// If more than `extrapolated_` ticks lie between two states, the position follows the cubic curve:
// a step from the extrapolated position would end far from the second state.
Vec3 BodyInterpolator::move(Track& track, std::size_t from, double tick) const {
  const Sample& sample = track.samples[from];
  if (from + 1 < track.samples.size() &&
      track.samples[from + 1].tick - sample.tick > extrapolated_) {
    track.moving = false;
    track.started = -1;
    return on_cubic(sample, track.samples[from + 1], tick);
  }
  if (!track.moving || track.started != sample.tick || tick < track.at) {
    track.moving = false;
    track.started = sample.tick;
    track.at = sample.tick;
    track.position = sample.state.position;
  }
  if (tick - track.at < kShortestTicks) return track.position;
  const double dt = (tick - track.at) * tick_time_;
  const Vec3 a = acceleration(track, from, track.at);
  if (!track.moving) {
    track.moving = true;
    track.previous = integrate::position_before(track.position, sample.state.velocity, a, dt);
    track.previous_dt = dt;
  }
  const auto correction = motion_ == Motion::published_verlet ? integrate::TimeCorrection::published
                                                              : integrate::TimeCorrection::full;
  const Vec3 next = integrate::time_corrected_verlet(track.position, track.previous, a, dt,
                                                     track.previous_dt, correction);
  track.previous = track.position;
  track.previous_dt = dt;
  track.position = next;
  track.at = tick;
  return next;
}

// Returns the orientation at `tick`: the orientation of sample `from`, rotated with the mean
// angular velocity since then. If there is a next sample, this rotation would miss its orientation
// by some error. A correction that grows evenly with time removes that error.
Quat BodyInterpolator::turn(const Track& track, std::size_t from, double tick) const {
  const Sample& a = track.samples[from];
  const double dt = (tick - a.tick) * tick_time_;
  if (dt <= 0) return a.state.orientation;
  const Vec3& w = a.state.angular_velocity;
  if (from + 1 == track.samples.size()) return normalized(rotation(dt * w) * a.state.orientation);
  const Sample& b = track.samples[from + 1];
  const double share = (tick - a.tick) / (b.tick - a.tick);
  const Vec3 gain = b.state.angular_velocity - w;
  const Quat predicted = rotation(dt * (w + (share / 2) * gain)) * a.state.orientation;
  const Quat end = rotation((dt / share) * (w + 0.5 * gain)) * a.state.orientation;
  const Quat missed = b.state.orientation * conjugate(end);
  return normalized(partial(missed, share) * predicted);
}

}  // namespace orrery::client
