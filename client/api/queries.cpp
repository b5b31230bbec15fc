// Casts rays: in a world, and at the server of a client.
#include <algorithm>

#include "client/api/client_handle.h"
#include "client/api/structs.h"
#include "client/api/world_handle.h"
#include "common/core/limits.h"
#include "common/math/range.h"

namespace orrery::api {
namespace {

// A ray in the space of the scene.
struct Ray {
  Vec3 origin;
  Vec3 along;
  std::uint32_t except;  // slot that is ignored
};

Ray ray_in(const orrery_world& w, const orrery_ray& ray) {
  const bool ignores = ray.ignores != 0 && contains(w.world(), BodyId{ray.ignored});
  return {w.space.position_in(vector(ray.origin)), w.space.in(vector(ray.along)),
          ignores ? slot_of(BodyId{ray.ignored}) : ~0u};
}

std::int32_t check_rays(orrery_world& w, const orrery_ray* rays, const orrery_hit* hits,
                        std::uint32_t count) {
  std::int32_t code = check_rows(w, rays, count, "ray", true);
  if (code == ORRERY_OK) code = check_rows(w, hits, count, "hit", false);
  if (code != ORRERY_OK) return code;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Ray ray = ray_in(w, *Rows(rays)[i]);
    if (within(ray.origin, limits::kLengthMax) && within(ray.along, limits::kLengthMax)) continue;
    return fail(w, ORRERY_BAD_ARGUMENT, "ray %u has numbers that are not finite or beyond 1e12", i);
  }
  return ORRERY_OK;
}

// Rebuilds the index of bodies unless it is of the present state.
void index_bodies(orrery_world& w) {
  if (w.indexed) return;
  SerialExecutor executor;
  if (!w.queries) w.queries.emplace(w.world());
  w.queries->update(w.world(), executor);
  w.indexed = true;
}

// Writes the next answer of the server.
void write_answer(orrery_client& c, orrery_hit* to) {
  const client::RayAnswer& next = c.answers.front();
  const codec::message::Answer& answer = next.answer;
  orrery_hit hit{};
  hit.hits = answer.hit ? 1 : 0;
  if (answer.hit) {
    hit.body = answer.body.value;
    hit.part = answer.part;
    hit.fraction = answer.fraction;
    store(c.space.position_out(next.place()), hit.position);
    store(c.space.axes_out(answer.normal), hit.normal);
  }
  write_struct(to, hit);
}

orrery_hit cast(orrery_world& w, const Ray& ray) {
  w.queries->cast_ray(w.world(), ray.origin, ray.along, {.filter = {}, .except = ray.except}, 1,
                      w.hits);
  orrery_hit hit{};
  if (w.hits.empty()) return hit;
  const WorldHit& first = w.hits.front();
  hit.hits = 1;
  hit.body = first.body.value;
  hit.part = first.part;
  hit.fraction = first.fraction;
  store(w.space.position_out(ray.origin + first.fraction * ray.along), hit.position);
  store(w.space.axes_out(first.normal), hit.normal);
  return hit;
}

}  // namespace
}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_world_cast_rays(orrery_world* world, const orrery_ray* rays, orrery_hit* hits,
                               uint32_t count) {
  return guarded(world, [&](orrery_world& w) -> std::int32_t {
    const std::int32_t code = check_rays(w, rays, hits, count);
    if (code != ORRERY_OK) return code;
    index_bodies(w);
    for (std::uint32_t i = 0; i < count; ++i) {
      write_struct(Rows(hits)[i], cast(w, ray_in(w, *Rows(rays)[i])));
    }
    return ORRERY_OK;
  });
}

int32_t orrery_client_cast_ray(orrery_client* client, const orrery_ray* ray, uint64_t now,
                               uint32_t* number) {
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    if (number == nullptr) return fail(c, ORRERY_BAD_ARGUMENT, "number is null");
    *number = 0;
    const std::int32_t code = check_struct(c, ray, "the ray", true);
    if (code != ORRERY_OK) return code;
    if (ray->ignores != 0) {
      return fail(c, ORRERY_BAD_ARGUMENT, "a ray of a client cannot ignore a body");
    }
    const orrery::Vec3 origin = c.space.position_in(vector(ray->origin));
    const orrery::Vec3 along = c.space.in(vector(ray->along));
    constexpr double kMost = orrery::limits::kLengthMax;
    if (!orrery::within(origin, kMost) || !orrery::within(along, kMost)) {
      return fail(c, ORRERY_BAD_ARGUMENT, "the ray has numbers that are not finite or beyond 1e12");
    }
    const auto asked = c.client().cast_ray(origin, along, c.time(now));
    if (!asked) return fail(c, ORRERY_NOT_READY, "the client is not connected");
    *number = *asked;
    return ORRERY_OK;
  });
}

int32_t orrery_client_hit(orrery_client* client, orrery_hit* hit, uint32_t* number,
                          uint64_t* tick) {
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    if (number == nullptr || tick == nullptr) {
      return fail(c, ORRERY_BAD_ARGUMENT, "number or tick is null");
    }
    *number = 0;
    *tick = 0;
    const std::int32_t code = check_struct(c, hit, "the hit", false);
    if (code != ORRERY_OK) return code;
    if (c.answers.empty()) {
      for (const auto& answer : c.client().arrivals().take_answers()) c.answers.push_back(answer);
    }
    if (c.answers.empty()) return ORRERY_END;
    *number = c.answers.front().number;
    *tick = c.answers.front().answer.tick.value;
    write_answer(c, hit);
    c.answers.pop_front();
    return ORRERY_OK;
  });
}
