// Parts of the check of a scene.
#pragma once

#include <cstddef>
#include <vector>

#include "common/core/limits.h"
#include "common/core/result.h"
#include "common/math/between.h"
#include "common/world/scenes/scene.h"

namespace orrery {

// Returns the problem that `check` finds in the first bad item, with its place, or nothing. `item`
// is the name of an item, such as "joint".
template <class Item, class Check>
Problem first_problem(const char* item, const std::vector<Item>& items, Check check) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (Problem p = check(items[i])) return p->in_item(item, i);
  }
  return {};
}

// Checks the events that a scene asks for. Each side of its bounds is finite or not given.
inline Problem events_problem(const Scene& scene) {
  if (scene.sleep_events && !scene.sleeping)
    return problem_at("sleep_events", " does nothing without \"sleeping\": true");
  const Vec3 &lower = scene.bounds_lower, &upper = scene.bounds_upper;
  const auto beyond = [](const Vec3& side, double none) {
    return side != Vec3{none, none, none} && !within(side, limits::kLengthMax);
  };
  if (beyond(lower, -kUnbounded) || beyond(upper, kUnbounded))
    return problem_at("bounds_lower", " and bounds_upper must be finite, at most 1e12");
  if (lower.x < upper.x && lower.y < upper.y && lower.z < upper.z) return {};
  return problem_at("bounds_lower", " must be below bounds_upper on each axis");
}

}  // namespace orrery
