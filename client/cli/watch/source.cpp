// The sources of live views: a client that receives snapshots, or a world that follows a server.
#include "client/cli/watch/source.h"

#include <algorithm>
#include <cstdio>

#include "client/cli/json.h"
#include "client/cli/render/world_bodies.h"
#include "common/core/printable.h"
#include "common/net/drain.h"

namespace orrery::cli {
namespace {

// Returns the state of a body; nullptr if the snapshot lacks it.
const codec::BodyState* find(const client::Snapshot& snapshot, BodyId id) {
  const auto at = std::lower_bound(
      snapshot.bodies.begin(), snapshot.bodies.end(), slot_of(id),
      [](const codec::BodyState& b, std::uint32_t slot) { return slot_of(b.id) < slot; });
  return at != snapshot.bodies.end() && at->id == id ? &*at : nullptr;
}

}  // namespace

void Source::update(net::Nanoseconds now) {
  net::drain(network_, [&](const net::Address& from, Bytes datagram) {
    take(connection_.receive(from, datagram, now), now);
  });
  connection_.update(now);
}

void SnapshotSource::take(const client::Snapshot* snapshot, net::Nanoseconds now) {
  if (const Scene* const scene = connection().scene(); scene && !has_scene_) {
    has_scene_ = true;
    if (const auto shapes = make_shapes(*scene)) models_ = Models(*scene, shapes.value());
  }
  if (!snapshot) return;
  if (!frames_) {
    const codec::message::Welcome& welcome = connection().endpoint().welcome();
    frames_.emplace(welcome.tick_time, welcome.tick_rate);
    first_ = snapshot->tick;
    moment_.scene = printable(welcome.scene);
    moment_.tick_rate = welcome.tick_rate;
    moment_.models = &models_;
  }
  frames_->add(*snapshot, now);
}

const Moment* SnapshotSource::moment(net::Nanoseconds now) {
  if (!frames_) return nullptr;
  const client::Frame frame = frames_->at(now, client::FrameMode::verlet);
  // Bodies are shown some ticks late, so nothing is shown until this delay has passed.
  if (frame.tick < static_cast<double>(first_.value)) return nullptr;
  const client::Snapshot& newest = *connection().snapshots().newest();
  moment_.tick = frame.tick;
  moment_.bodies.clear();
  for (const client::BodyPose& pose : *frame.poses) {
    DrawnBody& body = moment_.bodies.emplace_back();
    body.id = pose.id;
    body.prototype = pose.prototype;
    body.pose = {pose.position, pose.orientation};
    if (const codec::BodyState* const state = find(newest, pose.id)) {
      body.velocity = state->velocity;
      body.angular_velocity = state->angular_velocity;
    }
  }
  return &moment_;
}

const Moment* FollowedSource::moment(net::Nanoseconds) {
  const World* const world = follower_.world();
  if (!world || follower_.ticks_checked() == 0) return nullptr;
  if (!models_) {
    models_ = models_of(*world);
    moment_.scene = printable(world->scene().name);
    moment_.tick_rate = world->scene().tick_rate;
    moment_.models = &*models_;
  }
  moment_.tick = static_cast<double>(world->tick().value);
  moment_.bodies = bodies_of(*world);
  const net::PathEstimator& path = connection().endpoint().path();
  char path_text[64];
  std::snprintf(path_text, sizeof path_text, "  path %.0f ms, %.1f %% lost",
                static_cast<double>(path.round_trip()) / net::kMillisecond, 100 * path.loss());
  moment_.note = std::to_string(follower_.ticks_checked()) + " ticks checked, all equal  hash " +
                 json::hash(world->hash()) + path_text;
  return &moment_;
}

}  // namespace orrery::cli
