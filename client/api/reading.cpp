// Writes ids, poses and velocities of bodies into arrays of the caller.
#include <cstdint>

#include "client/api/rows.h"
#include "client/api/world_handle.h"

namespace orrery::api {
namespace {

constexpr std::uint32_t kNumbers = ORRERY_POSITION | ORRERY_ORIENTATION | ORRERY_VELOCITY |
                                   ORRERY_ANGULAR_VELOCITY | ORRERY_IDENTITY;

template <class Number>
void write_row(const orrery_world& w, std::uint32_t slot, std::uint32_t what, unsigned char* to) {
  const Bodies& bodies = w.world().bodies();
  const Space& space = w.space;
  RowWriter<Number> row(to);
  if (what & ORRERY_POSITION) row.write(space.position_out(bodies.position(slot)));
  if (what & ORRERY_ORIENTATION) row.write(space.orientation_out(bodies.orientation(slot)));
  if (what & ORRERY_VELOCITY) row.write(space.out(bodies.velocity(slot)));
  if (what & ORRERY_ANGULAR_VELOCITY) row.write(space.turn_out(bodies.angular_velocity(slot)));
  if (what & ORRERY_IDENTITY) {
    row.write(body_id(w.world(), slot).value, w.world().controls().prototypes[slot]);
  }
}

void write_row(orrery_world& w, std::uint32_t slot, const Layout& layout, unsigned char* to) {
  if (layout.what & ORRERY_DOUBLE) {
    write_row<double>(w, slot, layout.what, to);
  } else {
    write_row<float>(w, slot, layout.what, to);
  }
}

std::int32_t check_capacity(orrery_world& w, std::uint32_t capacity) {
  const std::uint32_t count = w.world().bodies().count();
  if (count <= capacity) return ORRERY_OK;
  return fail(w, ORRERY_SHORT_BUFFER, "there is room for %u bodies, and the world has %u", capacity,
              count);
}

// Calls visit(slot) for every body, ascending.
void for_each_body(const Bodies& bodies, auto visit) {
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    if (bodies.alive(slot)) visit(slot);
  }
}

std::int32_t read_all(orrery_world& w, const Layout& layout, unsigned char* rows) {
  if (const std::int32_t code = check_layout(w, layout, kNumbers, rows); code != ORRERY_OK)
    return code;
  if (const std::int32_t code = check_capacity(w, layout.capacity); code != ORRERY_OK) return code;
  for_each_body(w.world().bodies(), [&](std::uint32_t slot) {
    write_row(w, slot, layout, rows);
    rows += layout.stride;
  });
  return ORRERY_OK;
}

std::int32_t read_some(orrery_world& w, const std::uint32_t* ids, const Layout& layout,
                       unsigned char* rows) {
  if (const std::int32_t code = check_layout(w, layout, kNumbers, rows); code != ORRERY_OK)
    return code;
  for (std::uint32_t i = 0; i < layout.capacity; ++i) {
    if (!contains(w.world(), BodyId{ids[i]})) {
      return fail(w, ORRERY_NOT_FOUND, "there is no body %u", ids[i]);
    }
  }
  for (std::uint32_t i = 0; i < layout.capacity; ++i) {
    write_row(w, slot_of(BodyId{ids[i]}), layout, rows + std::size_t{i} * layout.stride);
  }
  return ORRERY_OK;
}

}  // namespace
}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_world_ids(orrery_world* world, uint32_t* ids, uint32_t capacity) {
  return guarded(world, [&](orrery_world& w) -> std::int32_t {
    if (ids == nullptr) return fail(w, ORRERY_BAD_ARGUMENT, "ids is null");
    if (const std::int32_t code = check_capacity(w, capacity); code != ORRERY_OK) return code;
    for_each_body(w.world().bodies(),
                  [&](std::uint32_t slot) { *ids++ = orrery::body_id(w.world(), slot).value; });
    return ORRERY_OK;
  });
}

int32_t orrery_world_read(orrery_world* world, const uint32_t* ids, uint32_t what, void* rows,
                          uint32_t stride, uint32_t capacity) {
  return guarded(world, [&](orrery_world& w) -> std::int32_t {
    auto* const bytes = static_cast<unsigned char*>(rows);
    const Layout layout{what, stride, capacity};
    return ids == nullptr ? read_all(w, layout, bytes) : read_some(w, ids, layout, bytes);
  });
}

int32_t orrery_worlds_read(orrery_world* const* worlds, uint32_t worlds_count, uint32_t what,
                           void* rows, uint32_t stride, uint32_t capacity, uint32_t* failed) {
  if (failed != nullptr) *failed = 0;
  if (worlds_count == 0) return ORRERY_OK;
  if (worlds == nullptr) return ORRERY_BAD_ARGUMENT;
  for (std::uint32_t i = 0; i < worlds_count; ++i) {
    auto* const first = static_cast<unsigned char*>(rows);
    const std::size_t offset = std::size_t{i} * capacity * stride;
    const std::int32_t code = guarded(worlds[i], [&](orrery_world& w) {
      return read_all(w, {what, stride, capacity}, first == nullptr ? nullptr : first + offset);
    });
    if (code == ORRERY_OK) continue;
    if (failed != nullptr) *failed = i;
    return code;
  }
  return ORRERY_OK;
}
