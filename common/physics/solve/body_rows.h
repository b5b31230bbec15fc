// Owns the bodies as the solver sees them: a few numbers of one body side by side, in world axes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/physics/body/bodies.h"

namespace orrery::physics {

// Eight numbers of a body: one cache line.
struct alignas(64) BodyRow {
  double at[8];
};
static_assert(sizeof(BodyRow) == 64);

// Row i is of slot i; the last row is of nobody: no mass, no speed.
struct BodyRows {
  BodyRow* motion;   // velocity, angular velocity, inverse mass, inverse inertia about x
  BodyRow* moved;    // since the start of the tick: position, and the integral of angular velocity
  BodyRow* pose;     // position, orientation
  BodyRow* inertia;  // inverse inertia: xx, yy, zz, xy, xz, yz
  BodyRow* pushed;   // change of velocity and angular velocity by the impulses that are kept
  BodyRow* start;    // velocity and angular velocity before the pass that is going on
  std::uint32_t nobody;
  std::uint64_t* used;  // one word a tile: rows that something needs; others are left as they are
};

// The memory of rows.
class BodyRowMemory {
 public:
  explicit BodyRowMemory(std::uint32_t capacity);
  const BodyRows& rows() const { return rows_; }

 private:
  std::vector<BodyRow> memory_;
  std::vector<std::uint64_t> used_;
  BodyRows rows_;
};

// All for the used bodies of the tiles [begin, end).

// At the start of a tick: poses, world inertia, velocities; nothing moved or pushed.
void load_poses(const Bodies& bodies, const BodyRows& rows, std::uint32_t begin, std::uint32_t end);
// Before the pass that pushes: velocities, plus what the impulses of the last substep changed.
void load_and_push(const Bodies& bodies, const BodyRows& rows, std::uint32_t begin,
                   std::uint32_t end);
// After it: hands the changes back, and counts the motion of the substep h that follows.
void store_pushed(Bodies& bodies, const BodyRows& rows, double h, std::uint32_t begin,
                  std::uint32_t end);
// Before and after a pass that goes on from there.
void load_velocities(const Bodies& bodies, const BodyRows& rows, std::uint32_t begin,
                     std::uint32_t end);
void store_velocities(Bodies& bodies, const BodyRows& rows, std::uint32_t begin, std::uint32_t end);

}  // namespace orrery::physics
