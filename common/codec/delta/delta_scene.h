// The facts of a scene that the delta codec needs before the first frame: the welcome has them.
#pragma once

#include <cstdint>
#include <vector>

#include "common/codec/delta/grid.h"
#include "common/math/vec3.h"
#include "common/world/scenes/scene.h"

namespace orrery::codec {

// The numbers of a scene that both sides of a connection need.
struct DeltaScene {
  Grid grid;
  Vec3 gravity;  // steps per tick squared, each axis at most kGridPositionMax: squares of
                 // errors then fit a float
  std::uint32_t slots = 0;       // of a world of the scene; the length of a frame
  std::uint32_t prototypes = 0;  // bodies of the scene
};

// Returns the numbers of a scene. Without a stated step of position, a step is the largest power of
// two that is at most 1/64 of the smallest half extent of a body that moves, and at least 2^-30 of
// the farthest initial position.
// REQUIRES: validate(scene) is ok.
DeltaScene delta_scene_of(const Scene& scene);

// Returns half of the smallest extent of a body, in steps: at least 1, and below 2^32.
double radius_of(const BodyDef& body, const Grid& grid);
// Returns that of each body of a scene.
std::vector<double> radii_of(const Scene& scene, const Grid& grid);

}  // namespace orrery::codec
