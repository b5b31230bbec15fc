// Finds bodies of a world by ray casts, shape casts and overlap tests.
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/executor.h"
#include "common/core/ids.h"
#include "common/physics/narrow/queries.h"
#include "common/world/world.h"

namespace orrery {

// A body that a cast found.
struct WorldHit {
  BodyId body;
  std::uint32_t part = 0;  // index into the body's shape
  double fraction = 0;     // of the cast's length, 0 to 1
  Vec3 normal;             // of the part, world frame, unit length; zero: overlap at the start
};

// A query object for a world as it is after a tick. Bodies without a shape are never found. Queries
// are not part of the state, so any number of objects may query one world.
class WorldQueries {
 public:
  explicit WorldQueries(const World& world);

  // Updates the spatial index to the current positions of the bodies. Call it once after each tick,
  // before the first query.
  void update(const World& world, Executor& executor);

  // Each function replaces its last argument by the bodies found, at most `most`.
  // physics/narrow/queries.h explains the other arguments.
  // REQUIRES: update() was called for the world's current tick.
  void cast_ray(const World& world, const Vec3& origin, const Vec3& along,
                const physics::QueryFilter& filter, std::uint32_t most,
                std::vector<WorldHit>& hits);
  void cast_shape(const World& world, const physics::Part& part, const physics::Motion& way,
                  const physics::QueryFilter& filter, std::uint32_t most,
                  std::vector<WorldHit>& hits);
  void find_overlaps(const World& world, const physics::Part& part, const Pose& pose,
                     const physics::QueryFilter& filter, std::uint32_t most,
                     std::vector<BodyId>& bodies);

 private:
  physics::QueryInput input(const World& world) const;
  void name(const World& world, std::vector<WorldHit>& hits) const;

  physics::BodyIndex index_;
  Tick tick_;  // of the last update
  std::vector<physics::CastHit> found_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace orrery
