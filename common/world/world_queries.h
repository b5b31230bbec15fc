// Owns the questions about where the bodies of a world are.
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/executor.h"
#include "common/core/ids.h"
#include "common/physics/queries.h"
#include "common/world/world.h"

namespace orrery {

struct WorldHit {
  BodyId body;
  std::uint32_t part = 0;  // of the body's shape
  double fraction = 0;     // of the way, 0 to 1
  Vec3 normal;             // of the part, world frame, unit length; zero: they overlap at the start
};

// Asks a world as it is after a tick; bodies without a shape are never found. Any number of them
// may ask one world: nothing of this is part of its state.
class WorldQueries {
 public:
  explicit WorldQueries(const World& world);

  // Takes the bodies as they are now: once after each tick after which something is asked.
  void update(const World& world, Executor& executor);

  // Each replaces its last argument, as in physics/queries.h, which has the meaning of the others.
  void cast_ray(const World& world, const Vec3& origin, const Vec3& along,
                const QueryFilter& filter, std::uint32_t most, std::vector<WorldHit>& hits);
  void cast_shape(const World& world, const Part& part, const Motion& way,
                  const QueryFilter& filter, std::uint32_t most, std::vector<WorldHit>& hits);
  void find_overlaps(const World& world, const Part& part, const Pose& pose,
                     const QueryFilter& filter, std::uint32_t most, std::vector<BodyId>& bodies);

 private:
  QueryInput input(const World& world) const;
  void name(const World& world, std::vector<WorldHit>& hits) const;

  BodyIndex index_;
  Tick tick_;  // of the last update
  std::vector<CastHit> found_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace orrery
