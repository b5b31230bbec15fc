// Computes the poses that a client draws, between snapshots and beyond the newest.
#include "client/lib/frames/body_interpolator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/core/assert.h"

namespace orrery::client {
namespace {

// Shortest step, in ticks. A frame that is later by less leaves the body in place. The formula
// divides by the length of the previous step, and rounding would make a very short length
// inaccurate.
constexpr double kShortestTicks = 1e-6;

constexpr double kNever = std::numeric_limits<double>::infinity();

// Returns the number nearer to zero, or 0 if the signs differ.
double nearer_to_zero(double a, double b) {
  if (a * b <= 0) return 0;
  return std::abs(a) < std::abs(b) ? a : b;
}

Vec3 nearer_to_zero(const Vec3& a, const Vec3& b) {
  return {nearer_to_zero(a.x, b.x), nearer_to_zero(a.y, b.y), nearer_to_zero(a.z, b.z)};
}

// Returns the acceleration at `b` of the cubic Hermite curve from a to b.
Vec3 last_acceleration(const codec::BodyState& a, const codec::BodyState& b, double tick_time) {
  const double h = (tick_of(b) - tick_of(a)) * tick_time;
  return (2 / h) * (a.velocity + 2 * b.velocity - (3 / h) * (b.position - a.position));
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
  auto body = snapshot.bodies.begin();
  for (Track& track : tracks_) {
    while (body != snapshot.bodies.end() && slot_of(body->id) < slot_of(track.id)) ++body;
    const bool has_slot = body != snapshot.bodies.end() && slot_of(body->id) == slot_of(track.id);
    if (has_slot) add_sample(track, *body);
    const bool present = has_slot && body->id == track.id;
    if (!present && !has_later(track, tick)) track.gone = std::min(track.gone, tick);
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

// Returns true if a state at `tick` or later has arrived.
bool BodyInterpolator::has_later(const Track& track, double tick) {
  return track.samples.size() > 0 && tick_of(track.samples.back()) >= tick;
}

// Adds tracks for bodies in new slots, all at once, because there may be a million.
void BodyInterpolator::add_tracks(const std::vector<codec::BodyState>& bodies) {
  const auto by_slot = [](const Track& a, const Track& b) { return slot_of(a.id) < slot_of(b.id); };
  const std::size_t known = tracks_.size();
  if (known == 0) tracks_.reserve(bodies.size());
  std::size_t at = 0;
  for (const codec::BodyState& body : bodies) {
    while (at < known && slot_of(tracks_[at].id) < slot_of(body.id)) ++at;
    if (at < known && slot_of(tracks_[at].id) == slot_of(body.id)) continue;
    tracks_.push_back(fresh_track(body));
  }
  const auto middle = tracks_.begin() + static_cast<std::ptrdiff_t>(known);
  if (middle != tracks_.end()) std::inplace_merge(tracks_.begin(), middle, tracks_.end(), by_slot);
}

// Makes `piece` the current piece of the path. The next step starts from a state in it.
void BodyInterpolator::enter(Track& track, const PathPiece& piece) {
  track.piece = piece;
  track.moving = false;
}

// Adds a state to the track of its slot. If the slot has a newer body now, the track starts again
// with that body. Ignores a state of a body that had the slot before.
void BodyInterpolator::add_sample(Track& track, const codec::BodyState& body) {
  const auto tick = static_cast<double>(body.tick.value);
  if (track.id != body.id) {
    if (has_later(track, tick)) return;
    track = fresh_track(body);
  }
  codec::BodyState sample = body;
  sample.orientation = normalized(body.orientation);
  const bool is_newest = !has_later(track, tick);
  const bool divides = track.piece.covers(tick);
  if (track.samples.insert(sample) && (divides || (is_newest && track.piece.is_empty())))
    enter(track, PathPiece());
  track.born = std::min(track.born, tick);
  if (track.gone <= tick) track.gone = kNever;
}

const std::vector<BodyPose>& BodyInterpolator::advance(double tick) {
  if (!std::isnan(tick)) now_ = std::clamp(tick, 0.0, newest_ + extrapolated_);
  poses_.clear();
  for (Track& track : tracks_) {
    if (now_ < track.born || now_ >= track.gone) continue;
    const PathPiece* const piece = piece_at(track, now_);
    poses_.push_back(piece ? pose_within(track, *piece, now_) : pose_beyond(track, now_));
  }
  return poses_;
}

// Returns the piece of the path that covers a tick; nullptr at or beyond the newest sample, or
// before the oldest.
const PathPiece* BodyInterpolator::piece_at(Track& track, double tick) const {
  if (track.piece.covers(tick)) return &track.piece;
  const SampleRing& samples = track.samples;
  std::size_t next = samples.size();
  while (next > 0 && tick_of(samples[next - 1]) > tick) --next;
  if (next == samples.size() || next == 0) {
    if (!track.piece.is_empty()) enter(track, PathPiece());
    return nullptr;
  }
  enter(track, PathPiece(samples[next - 1], samples[next], tick_time_));
  return &track.piece;
}

// Returns the pose within a piece of the path. If the states of the piece are more than
// `extrapolated_` ticks apart, the position follows the cubic curve in every mode: a Verlet step
// from the extrapolated position would end far from the second state.
BodyPose BodyInterpolator::pose_within(Track& track, const PathPiece& piece, double tick) const {
  const codec::BodyState& newest = track.samples.back();
  BodyPose pose{track.id, newest.prototype, Quality::interpolated, {}, piece.orientation(tick)};
  const bool is_long = piece.end() - piece.begin() > extrapolated_;
  if (motion_ != Motion::interpolate && !is_long) {
    pose.position = move(track, &piece, tick);
    return pose;
  }
  track.moving = false;  // later steps start from a state
  const bool is_curved = is_long || piece.flies();
  pose.position = is_curved ? piece.position(tick) : piece.straight(tick);
  return pose;
}

// Returns the pose after the newest sample, or before the oldest, where the pose of the oldest is
// used.
BodyPose BodyInterpolator::pose_beyond(Track& track, double tick) const {
  const SampleRing& samples = track.samples;
  const codec::BodyState& from = tick < tick_of(samples[0]) ? samples[0] : samples.back();
  BodyPose pose{track.id, samples.back().prototype, Quality::interpolated, from.position,
                from.orientation};
  if (tick < tick_of(from)) return pose;
  const double last = tick_of(from) + extrapolated_;
  if (tick >= last) pose.quality = Quality::stale;
  const double at = std::min(tick, last);
  const double t = (at - tick_of(from)) * tick_time_;
  if (t > 0) {
    const Quat turned = rotation(t * from.angular_velocity);
    pose.orientation = normalized(turned * from.orientation);
  }
  if (motion_ != Motion::interpolate) {
    pose.position = move(track, nullptr, at);
    return pose;
  }
  track.moving = false;  // later steps start from a state
  pose.position += t * from.velocity + (t * t / 2) * acceleration_beyond(samples);
  return pose;
}

// Returns the acceleration to use after the last sample. Two estimates are compared: the mean
// acceleration in the second last interval, and the acceleration at the end of the last interval.
// Each component is the one nearer to zero, or 0 if their signs differ. A collision affects only
// one of the two intervals, so it is ignored: it is over. With fewer than three samples, returns 0.
Vec3 BodyInterpolator::acceleration_beyond(const SampleRing& samples) const {
  if (samples.size() < 3) return {};
  const codec::BodyState& first = samples[samples.size() - 3];
  const codec::BodyState& middle = samples[samples.size() - 2];
  const codec::BodyState& last = samples.back();
  const double earlier = (tick_of(middle) - tick_of(first)) * tick_time_;
  return nearer_to_zero((1 / earlier) * (middle.velocity - first.velocity),
                        last_acceleration(middle, last, tick_time_));
}

// Moves a body by a step of time-corrected Verlet, in a piece of its path or beyond its newest
// sample. The motion starts at the sample before the tick if the body has made no step there yet,
// or if the tick is earlier than in the last call.
Vec3 BodyInterpolator::move(Track& track, const PathPiece* piece, double tick) const {
  const codec::BodyState* const newest = piece ? nullptr : &track.samples.back();
  const double begin = piece ? piece->begin() : tick_of(*newest);
  if (!track.moving || tick < track.at) {
    track.moving = false;
    track.at = begin;
    track.position = piece ? piece->first_position() : newest->position;
  }
  if (tick - track.at < kShortestTicks) return track.position;
  const double dt = (tick - track.at) * tick_time_;
  const Vec3 a =
      piece ? piece->acceleration(track.at, tick_time_) : acceleration_beyond(track.samples);
  if (!track.moving) {
    const Vec3 velocity = piece ? piece->first_velocity(tick_time_) : newest->velocity;
    track.moving = true;
    track.previous = integrate::position_before(track.position, velocity, a, dt);
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

}  // namespace orrery::client
