// The handle of a world.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "client/api/handle.h"
#include "common/world/report/world_queries.h"
#include "common/world/world.h"

// A world of the caller, or a view of the world of a log or client. The type is in the global
// namespace, because the C header declares it there, without members.
struct orrery_world final : orrery::api::Handle {
  static constexpr orrery::api::HandleType kType = orrery::api::HandleType::world;

  // A world of the caller.
  explicit orrery_world(orrery::Scene scene) : Handle(kType) { own.emplace(std::move(scene)); }
  // Makes a view of the world of a log or client, which must outlive the view. Null: there is no
  // world yet.
  explicit orrery_world(const orrery::World* world) : Handle(kType) { view(world); }

  // Returns the world.
  const orrery::World& world() const { return own ? *own : *viewed; }
  // Shows another world, or another state of the same one. With null, the handle becomes invalid.
  void view(const orrery::World* world) {
    if (viewed != world) queries.reset();
    viewed = world;
    indexed = false;
    type = world ? kType : orrery::api::HandleType::none;
  }

  std::optional<orrery::World> own;
  const orrery::World* viewed = nullptr;  // if not own

  // Reused by calls.
  std::vector<orrery::Command> commands;  // of the next tick
  bool in_batch = false;                  // `commands` belong to a batch
  std::vector<std::uint8_t> image;        // of orrery_world_save()
  std::optional<orrery::WorldQueries> queries;
  bool indexed = false;  // `queries` know the present state
  std::vector<orrery::WorldHit> hits;
};

namespace orrery::api {

// Fails unless the world belongs to the caller and the float mode of the thread is sound.
std::int32_t check_own(orrery_world& w);

}  // namespace orrery::api
