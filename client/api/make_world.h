// Makes the handle of a world from a scene, for the functions orrery_world_from_...().
#pragma once

#include "client/api/world_handle.h"
#include "common/core/float_environment.h"
#include "common/core/limits.h"
#include "common/core/result.h"
#include "common/world/scenes/scene.h"

namespace orrery::api {

// Makes a world of the scene that `load()` returns.
std::int32_t make_world(orrery_world** world, char* why, std::uint32_t why_size, auto load) {
  return created(world, why, why_size, [&](std::int32_t& code) -> orrery_world* {
    if (!float_environment_is_sound()) {
      copy_text(kFloatMode, why, why_size);
      code = ORRERY_FLOAT_MODE;
      return nullptr;
    }
    Result<Scene> scene = load();
    if (scene) return new orrery_world(std::move(scene.value()));
    copy_text(scene.error().text().c_str(), why, why_size);
    code = ORRERY_BAD_SCENE;
    return nullptr;
  });
}

// Refuses a pointer that is null, or a size above the limit of a scene.
inline std::int32_t check_bytes(const void* bytes, std::uint64_t size, orrery_world** world,
                                char* why, std::uint32_t why_size) {
  if (bytes != nullptr && size <= limits::kSceneBytesMax) return ORRERY_OK;
  copy_text(bytes == nullptr ? "the scene is null" : "the scene is larger than 2 GiB", why,
            why_size);
  if (world != nullptr) *world = nullptr;
  return ORRERY_BAD_ARGUMENT;
}

}  // namespace orrery::api
