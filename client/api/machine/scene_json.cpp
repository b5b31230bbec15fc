// Makes worlds of scenes in JSON, which needs parsers of JSON and of schemas.
#include <string>

#include "client/api/make_world.h"
#include "common/host/text/scene_file.h"

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_world_from_json(const char* json, uint64_t json_size, orrery_world** world,
                               char* why, uint32_t why_size) {
  const std::int32_t code = check_bytes(json, json_size, world, why, why_size);
  if (code != ORRERY_OK) return code;
  orrery::Problem warning;
  const std::int32_t made = make_world(world, why, why_size, [&] {
    const std::string text(json, static_cast<std::size_t>(json_size));
    return orrery::host::scene_of_json(text, &warning);
  });
  if (made == ORRERY_OK) copy_text(warning ? warning->text().c_str() : "", why, why_size);
  return made;
}
