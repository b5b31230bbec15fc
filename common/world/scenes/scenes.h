// The list of built-in scenes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/core/result.h"
#include "common/world/scenes/scene.h"

namespace orrery {

// An entry of the list of built-in scenes.
struct BuiltInScene {
  std::string_view name;        // "springs"
  std::string_view about;       // one line
  std::uint32_t default_count;  // 0: the scene takes no count
  std::uint32_t count_max;
  Scene (*make)(std::uint32_t count);
};

// Returns all built-in scenes.
std::span<const BuiltInScene> built_in_scenes();

// Returns the scene for "solar", "free:10000" or "springs" (its default count). An unknown name
// gives an Error with the nearest name, or with all names if none is near. A wrong count gives an
// Error with the valid range, or says that the scene takes no count.
Result<Scene> built_in_scene(std::string_view spec);

}  // namespace orrery
