// Bodies that fly freely, for tests of continuous collision.
#pragma once

#include <utility>
#include <vector>

#include "common/physics/sweep/continuous.h"
#include "tests/support/colliding_bodies.h"

namespace orrery {

using test::CollidingBodies;

inline constexpr double kDt = 1.0 / 60;
inline constexpr double kMargin = 0.02;

// Bodies that fly freely, one tick at a time.
class Flight {
 public:
  explicit Flight(CollidingBodies bodies)
      : group(std::move(bodies)),
        index_(group.bodies.capacity()),
        swept_(group.bodies.capacity()) {}

  void tick(std::uint32_t threads = 1) {
    std::vector<physics::Motion> ways(group.bodies.slots());
    for (std::uint32_t slot = 0; slot < group.bodies.slots(); ++slot) {
      ways[slot] = {group.pose(slot), group.pose(slot)};
      ways[slot].to.position = ways[slot].from.position + kDt * group.bodies.velocity(slot);
    }
    tick_along(ways, threads);
  }

  // Moves each body to the end of its motion. Fast bodies that meet an obstacle then move back.
  void tick_along(const std::vector<physics::Motion>& ways, std::uint32_t threads = 1) {
    test::BackwardExecutor executor(threads);
    index_.update(group.shaped(), {kMargin}, executor);
    swept_.begin(group.bodies);
    for (std::uint32_t slot = 0; slot < group.bodies.slots(); ++slot) {
      if (group.shape_of[slot] == physics::kNoShape) continue;
      group.bodies.set_position(slot, ways[slot].to.position);
      group.bodies.set_orientation(slot, ways[slot].to.orientation);
    }
    swept_.finish(group.bodies, group.shapes, group.shape_of, index_, {}, {}, executor);
  }

  CollidingBodies group;

 private:
  physics::BodyIndex index_;
  physics::ContinuousCollision swept_;
};

}  // namespace orrery
