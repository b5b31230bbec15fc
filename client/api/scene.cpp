// Makes and destroys worlds, and gives their scenes as bytes.
#include "client/api/make_world.h"
#include "client/api/structs.h"
#include "common/codec/scene_codec.h"
#include "common/world/scenes/scenes.h"

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_world_from_name(const char* name, orrery_world** world, char* why,
                               uint32_t why_size) {
  const std::int32_t code = check_bytes(name, 0, world, why, why_size);
  if (code != ORRERY_OK) return code;
  return make_world(world, why, why_size, [&] { return orrery::built_in_scene(name); });
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

int32_t orrery_world_scene(orrery_world* world, void* bytes, uint64_t capacity, uint64_t* size) {
  return guarded(world, [&](orrery_world& w) -> std::int32_t {
    if (size == nullptr) return fail(w, ORRERY_BAD_ARGUMENT, "size is null");
    std::vector<std::uint8_t> scene;
    orrery::codec::encode_scene(w.world().scene(), scene);
    *size = scene.size();
    return give_bytes(w, scene, bytes, capacity, "the scene");
  });
}
