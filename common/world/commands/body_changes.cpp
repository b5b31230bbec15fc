// Changes properties of single bodies by commands: filters and factors of gravity.
#include "common/world/commands/body_changes.h"

#include <algorithm>

#include "common/world/sleep.h"

namespace orrery {
namespace {

// Returns the place of the changes of a body, where they are or belong.
auto change_of(Controls& controls, BodyId body) {
  return std::lower_bound(
      controls.changes.begin(), controls.changes.end(), slot_of(body),
      [](const BodyChange& c, std::uint32_t slot) { return slot_of(c.body) < slot; });
}

// Returns the changes of a body. Adds them if there are none.
BodyChange& changed(Controls& controls, BodyId body) {
  auto at = change_of(controls, body);
  if (at == controls.changes.end() || at->body != body)
    at = controls.changes.insert(at, BodyChange{body, {}, {}});
  return *at;
}

// Gives the body in a slot the shape of its prototype, or that with another filter.
void set_shape(MutableWorld& world, std::uint32_t slot,
               const std::optional<BodyChange::Filter>& filter) {
  ORRERY_ASSERT(world.collision && world.bodies.alive(slot));
  Collision& c = *world.collision;
  const std::uint32_t before = c.shape_of[slot];
  const std::uint32_t shape = prototype_of(world, slot).shape;
  c.shape_of[slot] = filter ? c.shapes.filtered(shape, filter->category, filter->mask) : shape;
  c.shapes.release(before);
}

}  // namespace

const BodyChange* find_change(const Controls& controls, BodyId body) {
  const auto at = std::lower_bound(
      controls.changes.begin(), controls.changes.end(), slot_of(body),
      [](const BodyChange& c, std::uint32_t slot) { return slot_of(c.body) < slot; });
  return at != controls.changes.end() && at->body == body ? &*at : nullptr;
}

double gravity_scale_of(const World& world, std::uint32_t slot) {
  ORRERY_ASSERT(world.bodies().alive(slot));
  const BodyChange* const change = find_change(world.controls(), body_id(world, slot));
  if (change && change->gravity_scale) return double{*change->gravity_scale};
  return prototype_of(world, slot).gravity_scale;
}

Verdict set_filter(MutableWorld& world, const command::SetFilter& c) {
  if (!contains(world, c.body)) return Verdict::no_body;
  const std::uint32_t slot = slot_of(c.body);
  const BodyDef& def = prototype_of(world, slot);
  if (def.shape == kNoShape) return Verdict::unavailable;
  const BodyChange::Filter filter{c.category, c.mask};
  const BodyChange* const held = find_change(world.controls, c.body);
  if (held && held->filter == filter) return Verdict::unchanged;
  changed(world.controls, c.body).filter = filter;
  if (is_dynamic(def.kind)) {
    wake(world, slot);
  } else {
    wake_all(world);
  }
  set_shape(world, slot, filter);
  world.collision->broad_phase.bodies_changed();
  world.collision->filters_changed = true;
  return Verdict::applied;
}

Verdict set_gravity_scale(MutableWorld& world, const command::SetGravityScale& c) {
  if (!contains(world, c.body)) return Verdict::no_body;
  const std::uint32_t slot = slot_of(c.body);
  if (!is_dynamic(prototype_of(world, slot).kind)) return Verdict::fixed;
  ORRERY_ASSERT(c.scale == c.scale);  // not NaN
  if (gravity_scale_of(world, slot) == double{c.scale}) return Verdict::unchanged;
  changed(world.controls, c.body).gravity_scale = c.scale;
  wake(world, slot);
  world.bodies.set(physics::BodyField::gravity_scale, slot, double{c.scale});
  return Verdict::applied;
}

bool can_have(const BodyDef& def, const BodyChange& change) {
  ORRERY_ASSERT(change.filter || change.gravity_scale);
  return (!change.filter || def.shape != kNoShape) &&
         (!change.gravity_scale || is_dynamic(def.kind));
}

std::vector<physics::OtherFilter> other_filters(const Controls& controls) {
  std::vector<physics::OtherFilter> filters;
  for (const auto& [body, filter, gravity_scale] : controls.changes) {
    if (filter) filters.push_back({slot_of(body), filter->category, filter->mask});
  }
  ORRERY_ASSERT(filters.size() <= controls.changes.size());
  return filters;
}

void end_changes(MutableWorld& world, BodyId body) {
  const auto at = change_of(world.controls, body);
  if (at == world.controls.changes.end() || at->body != body) return;
  ORRERY_ASSERT(contains(world, body));
  if (at->filter) set_shape(world, slot_of(body), {});
  world.controls.changes.erase(at);
}

void undo_changes(MutableWorld& world) {
  for (const BodyChange& change : world.controls.changes) {
    const std::uint32_t slot = slot_of(change.body);
    ORRERY_ASSERT(contains(world, change.body));
    const BodyDef& def = prototype_of(world, slot);
    if (change.filter) set_shape(world, slot, {});
    if (change.gravity_scale)
      world.bodies.set(physics::BodyField::gravity_scale, slot, def.gravity_scale);
  }
  world.controls.changes.clear();
}

void redo_gravity_scales(MutableWorld& world) {
  for (const BodyChange& change : world.controls.changes) {
    ORRERY_ASSERT(contains(world, change.body));
    if (change.gravity_scale)
      world.bodies.set(physics::BodyField::gravity_scale, slot_of(change.body),
                       double{*change.gravity_scale});
  }
}

void redo_filters(MutableWorld& world) {
  for (const BodyChange& change : world.controls.changes) {
    if (change.filter) set_shape(world, slot_of(change.body), change.filter);
  }
}

}  // namespace orrery
