// Gives the frames, the worlds, the events and the refused commands of a client.
#include "client/api/client_handle.h"
#include "client/api/events.h"
#include "client/api/rows.h"
#include "client/api/structs.h"

namespace orrery::api {
namespace {

using client::BodyPose;
using client::FrameMode;
using client::Quality;

static_assert(ORRERY_INTERPOLATE == static_cast<int>(FrameMode::interpolate) &&
              ORRERY_VERLET == static_cast<int>(FrameMode::verlet) &&
              ORRERY_PUBLISHED_VERLET == static_cast<int>(FrameMode::published_verlet) &&
              ORRERY_FOLLOW == static_cast<int>(FrameMode::follow));
static_assert(ORRERY_EXACT == static_cast<int>(Quality::exact) &&
              ORRERY_INTERPOLATED == static_cast<int>(Quality::interpolated) &&
              ORRERY_STALE == static_cast<int>(Quality::stale));

static_assert(ORRERY_REFUSED_MALFORMED == static_cast<int>(Verdict::malformed) &&
              ORRERY_REFUSED_NOT_JOINED == static_cast<int>(Verdict::not_joined) &&
              ORRERY_REFUSED_ROLE == static_cast<int>(Verdict::role) &&
              ORRERY_REFUSED_NO_BODY == static_cast<int>(Verdict::no_body) &&
              ORRERY_REFUSED_FIXED == static_cast<int>(Verdict::fixed) &&
              ORRERY_REFUSED_NOT_YOURS == static_cast<int>(Verdict::not_yours) &&
              ORRERY_REFUSED_TOO_STRONG == static_cast<int>(Verdict::too_strong) &&
              ORRERY_REFUSED_FULL == static_cast<int>(Verdict::full) &&
              ORRERY_REFUSED_NO_GRAB == static_cast<int>(Verdict::no_grab) &&
              ORRERY_REFUSED_UNAVAILABLE == static_cast<int>(Verdict::unavailable) &&
              ORRERY_REFUSED_NOT_KINEMATIC == static_cast<int>(Verdict::not_kinematic) &&
              ORRERY_REFUSED_NO_JOINT == static_cast<int>(Verdict::no_joint) &&
              ORRERY_REFUSED_NO_CLIENT == static_cast<int>(Verdict::no_client));
static_assert(kVerdicts == ORRERY_REFUSED_NO_CLIENT + 1);

// Checks that there is a frame, and that its bodies fit into `capacity`.
std::int32_t check_frame(orrery_client& c, std::uint32_t capacity) {
  if (c.frame == nullptr) {
    return fail(c, ORRERY_NOT_READY, "call orrery_client_frame() first, after each update");
  }
  if (c.frame->size() <= capacity) return ORRERY_OK;
  return fail(c, ORRERY_SHORT_BUFFER, "there is room for %u bodies, and the frame has %zu",
              capacity, c.frame->size());
}

template <class Number>
void write_poses(const orrery_client& c, const Layout& layout, unsigned char* rows) {
  for (const BodyPose& pose : *c.frame) {
    RowWriter<Number> row(rows);
    if (layout.what & ORRERY_POSITION) row.write(c.space.position_out(pose.position));
    if (layout.what & ORRERY_ORIENTATION) row.write(c.space.orientation_out(pose.orientation));
    if (layout.what & ORRERY_IDENTITY) row.write(pose.id.value, pose.prototype);
    rows += layout.stride;
  }
}

orrery_shown_body shown_body(const BodyPose& pose) {
  return {0, pose.id.value, pose.prototype, static_cast<std::int32_t>(pose.quality)};
}

orrery_refusal refusal_out(const client::RefusedNumber& refusal) {
  return {0, static_cast<std::int32_t>(refusal.reason), refusal.command, refusal.tick.value};
}

// Copies the scene of the newest connection into `scene`, unless it was copied already.
void update_scene(orrery_client& c) {
  const Scene* const arrived = c.client().scene();
  if (arrived == nullptr) return;
  const std::uint64_t epoch = c.client().welcome().epoch;
  if (c.scene && c.scene_epoch == epoch) return;
  c.scene_view.view(nullptr);
  c.scene.emplace(*arrived);
  c.scene_epoch = epoch;
  c.scene_view.view(&*c.scene);
}

}  // namespace
}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_client_frame(orrery_client* client, uint64_t now, int32_t mode,
                            orrery_frame* frame) {
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    const std::int32_t code = check_struct(c, frame, "the frame", false);
    if (code != ORRERY_OK) return code;
    if (mode < ORRERY_INTERPOLATE || mode > ORRERY_FOLLOW) {
      return fail(c, ORRERY_BAD_ARGUMENT, "mode is %d; it must be ORRERY_INTERPOLATE, ...", mode);
    }
    const orrery::client::Frame shown = c.client().frame(c.time(now), static_cast<FrameMode>(mode));
    c.frame = shown.poses;
    write_struct(frame, {0, static_cast<std::uint32_t>(shown.poses->size()), shown.tick});
    return ORRERY_OK;
  });
}

int32_t orrery_client_read(orrery_client* client, uint32_t what, void* rows, uint32_t stride,
                           uint32_t capacity) {
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    const Layout layout{what, stride, capacity};
    std::int32_t code =
        check_layout(c, layout, ORRERY_POSITION | ORRERY_ORIENTATION | ORRERY_IDENTITY, rows);
    if (code == ORRERY_OK) code = check_frame(c, capacity);
    if (code != ORRERY_OK) return code;
    auto* const bytes = static_cast<unsigned char*>(rows);
    if (what & ORRERY_DOUBLE) {
      write_poses<double>(c, layout, bytes);
    } else {
      write_poses<float>(c, layout, bytes);
    }
    return ORRERY_OK;
  });
}

int32_t orrery_client_bodies(orrery_client* client, orrery_shown_body* bodies, uint32_t capacity) {
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    if (const std::int32_t code = check_frame(c, capacity); code != ORRERY_OK) return code;
    return give_list(c, *c.frame, bodies, capacity, "shown body", shown_body);
  });
}

int32_t orrery_client_scene(orrery_client* client, orrery_world** world) {
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    if (world == nullptr) return fail(c, ORRERY_BAD_ARGUMENT, "the place for the world is null");
    *world = nullptr;
    update_scene(c);
    if (!c.scene) return fail(c, ORRERY_NOT_READY, "the scene has not arrived");
    *world = &c.scene_view;
    return ORRERY_OK;
  });
}

int32_t orrery_client_world(orrery_client* client, orrery_world** world) {
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    if (world == nullptr) return fail(c, ORRERY_BAD_ARGUMENT, "the place for the world is null");
    *world = nullptr;
    if (c.client().world() == nullptr) {
      return fail(c, ORRERY_NOT_READY, "the client follows no world, or no state has arrived");
    }
    *world = &c.followed;
    return ORRERY_OK;
  });
}

int32_t orrery_client_events(orrery_client* client, orrery_event* events, uint32_t capacity,
                             uint32_t* count, uint64_t* tick) {
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    if (count == nullptr || tick == nullptr) {
      return fail(c, ORRERY_BAD_ARGUMENT, "count or tick is null");
    }
    // Takes new events only when all earlier ones are read: the client limits the events that wait
    // in it, so memory stays bounded.
    if (c.events.empty()) {
      for (auto& message : c.client().arrivals().take_events())
        c.events.push_back(std::move(message));
    }
    *count = 0;
    *tick = 0;
    if (c.events.empty()) return ORRERY_END;
    const auto& list = c.events.front().events;
    *count = static_cast<std::uint32_t>(list.size());
    *tick = c.events.front().tick.value;
    const std::int32_t code = write_events(c, list, events, capacity);
    if (code == ORRERY_OK) c.events.pop_front();
    return code;
  });
}

int32_t orrery_client_refusals(orrery_client* client, orrery_refusal* refusals, uint32_t capacity,
                               uint32_t* count) {
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    if (count == nullptr) return fail(c, ORRERY_BAD_ARGUMENT, "count is null");
    *count = 0;
    const std::int32_t code = check_rows(c, refusals, capacity, "refusal", false);
    if (code != ORRERY_OK) return code;
    // Takes new ones only when all earlier ones are read, as for events.
    if (c.refusals.empty()) {
      for (const auto& refusal : c.client().arrivals().take_refusals()) {
        c.refusals.push_back(refusal);
      }
    }
    if (c.refusals.empty()) return ORRERY_END;
    for (; *count < capacity && !c.refusals.empty(); ++*count) {
      write_struct(Rows(refusals)[*count], refusal_out(c.refusals.front()));
      c.refusals.pop_front();
    }
    return ORRERY_OK;
  });
}
