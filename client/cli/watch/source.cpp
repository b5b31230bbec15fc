// The source of a live view: a client that receives snapshots, or follows a server.
#include "client/cli/watch/source.h"

#include <algorithm>
#include <cstdio>

#include "client/cli/json.h"
#include "client/cli/render/world_bodies.h"
#include "common/core/printable.h"
#include "common/world/report/conserved.h"

namespace orrery::cli {
namespace {

constexpr net::Nanoseconds kWait = 5 * net::kMillisecond;

// Returns the state of a body; nullptr if the snapshot lacks it.
const codec::BodyState* body_state(const client::Snapshot& snapshot, BodyId id) {
  const auto at = std::lower_bound(
      snapshot.bodies.begin(), snapshot.bodies.end(), slot_of(id),
      [](const codec::BodyState& b, std::uint32_t slot) { return slot_of(b.id) < slot; });
  return at != snapshot.bodies.end() && at->id == id ? &*at : nullptr;
}

// Returns the newest snapshot of the connection; nullptr if there is none.
const client::Snapshot* newest_of(const client::Client& client) {
  return client.connection() ? client.connection()->snapshots().newest() : nullptr;
}

}  // namespace

void Source::update() { ended_ = !client_.wait(kWait); }

bool Source::has_ended() const { return ended_ || client_.client().stats().mismatch.has_value(); }

bool Source::has_shapes() const {
  return has_scene_ || client_.client().welcome().scene_bytes == 0;
}

// Makes the models of the bodies if a new scene has arrived.
void Source::take_scene() {
  const client::Client& client = client_.client();
  const client::Connection* const connection = client.connection();
  if (connection && connection->messages().scene_error()) {
    usable_ = Error{"the server " + connection->messages().scene_error()->text()};
  }
  const Scene* const scene = client.scene();
  if (!scene || (scene_came_ && epoch_ == client.welcome().epoch)) return;
  scene_came_ = true;
  epoch_ = client.welcome().epoch;
  const auto shapes = make_shapes(*scene);
  if (!shapes) {
    usable_ = shapes.error().after("the server sent a scene that cannot be drawn: ");
    return;
  }
  usable_ = ok_status();
  models_ = Models(*scene, shapes.value());
  moment_.in_si = is_in_si(*scene);
  has_scene_ = true;
}

const Moment* Source::moment() {
  take_scene();
  const client::Client& client = client_.client();
  if (client.stats().connections == 0) return nullptr;
  if (const World* const world = client.world()) {
    if (client.stats().ticks_checked == 0) return nullptr;
    show_world(*world);
  } else if (!show_snapshots()) {
    return nullptr;
  }
  moment_.scene = printable(client.welcome().scene);
  moment_.tick_rate = client.welcome().tick_rate;
  moment_.models = &models_;
  moment_.note = note();
  return &moment_;
}

// Returns false before the first state.
bool Source::show_snapshots() {
  const client::Frame frame = client_.frame();
  const client::Snapshot* const newest = newest_of(client_.client());
  const bool is_empty = newest && newest->bodies.empty();  // a world without bodies
  if (frame.poses->empty() && !is_empty && !moment_.models) return false;
  moment_.tick = frame.tick;
  moment_.bodies.clear();
  for (const client::BodyPose& pose : *frame.poses) {
    DrawnBody& body = moment_.bodies.emplace_back();
    body.id = pose.id;
    body.prototype = pose.prototype;
    body.pose = {pose.position, pose.orientation};
    if (const codec::BodyState* const state = newest ? body_state(*newest, pose.id) : nullptr) {
      body.velocity = state->velocity;
      body.angular_velocity = state->angular_velocity;
    }
  }
  return true;
}

void Source::show_world(const World& world) {
  moment_.tick = static_cast<double>(world.tick().value);
  moment_.bodies = bodies_of(world);
}

// Returns a line to show: that the connection is lost, or, for a follower, how many ticks were
// compared with the server. Empty if there is nothing to say.
std::string Source::note() const {
  const client::Client& client = client_.client();
  if (client.phase() == client::ClientPhase::reconnecting) {
    return "connecting again: " + client.problem();
  }
  const World* const world = client.world();
  if (!world) return "";
  const client::ClientStats stats = client.stats();
  char path[64];
  std::snprintf(path, sizeof path, "  path %.0f ms, %.1f %% lost", 1e3 * stats.round_trip,
                100 * stats.loss);
  return std::to_string(stats.ticks_checked) + " ticks checked, all equal  hash " +
         json::hash(world->hash()) + path;
}

}  // namespace orrery::cli
