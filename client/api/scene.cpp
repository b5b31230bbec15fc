// Makes and destroys worlds.
#include <string>

#include "client/api/world_handle.h"
#include "common/codec/scene_codec.h"
#include "common/core/float_environment.h"
#include "common/host/text/scene_file.h"
#include "common/world/scenes/scenes.h"

namespace orrery::api {
namespace {

// Makes a world of the scene that `load()` returns.
template <class Load>
std::int32_t make_world(orrery_world** world, char* why, std::uint32_t why_size, Load load) {
  return created(world, why, why_size, [&](std::int32_t& code) -> orrery_world* {
    if (!float_environment_is_sound()) {
      copy_text(kFloatMode, why, why_size);
      code = ORRERY_FLOAT_MODE;
      return nullptr;
    }
    Result<Scene> scene = load();
    if (scene) return new orrery_world(std::move(scene.value()));
    copy_text(scene.error().message.c_str(), why, why_size);
    code = ORRERY_BAD_SCENE;
    return nullptr;
  });
}

// Refuses a pointer that is null or a size that no memory has.
std::int32_t check_bytes(const void* bytes, std::uint64_t size, orrery_world** world, char* why,
                         std::uint32_t why_size) {
  if (bytes != nullptr && size <= limits::kSceneBytesMax) return ORRERY_OK;
  copy_text(bytes == nullptr ? "the scene is null" : "the scene is larger than 2 GiB", why,
            why_size);
  if (world != nullptr) *world = nullptr;
  return ORRERY_BAD_ARGUMENT;
}

}  // namespace
}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_world_from_name(const char* name, orrery_world** world, char* why,
                               uint32_t why_size) {
  const std::int32_t code = check_bytes(name, 0, world, why, why_size);
  if (code != ORRERY_OK) return code;
  return make_world(world, why, why_size, [&] { return orrery::built_in_scene(name); });
}

int32_t orrery_world_from_json(const char* json, uint64_t json_size, orrery_world** world,
                               char* why, uint32_t why_size) {
  const std::int32_t code = check_bytes(json, json_size, world, why, why_size);
  if (code != ORRERY_OK) return code;
  return make_world(world, why, why_size, [&] {
    return orrery::host::scene_of_json(std::string(json, static_cast<std::size_t>(json_size)));
  });
}

int32_t orrery_world_from_bytes(const void* bytes, uint64_t bytes_size, orrery_world** world,
                                char* why, uint32_t why_size) {
  const std::int32_t code = check_bytes(bytes, bytes_size, world, why, why_size);
  if (code != ORRERY_OK) return code;
  return make_world(world, why, why_size, [&] {
    return orrery::codec::decode_scene(
        {static_cast<const std::uint8_t*>(bytes), static_cast<std::size_t>(bytes_size)});
  });
}

void orrery_world_destroy(orrery_world* world) {
  if (world != nullptr && world->type == orrery_world::kType && world->own) delete world;
}
