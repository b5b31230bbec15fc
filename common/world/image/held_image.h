// Writes and reads the held state of commands: thrusts, ways, drives and values. It is a part of
// the controls (controls_image.h).
#pragma once

#include "common/core/bytes.h"
#include "common/math/vec3f.h"
#include "common/world/world.h"

namespace orrery {

// Write and read a vector.
void put_vec3f(ByteWriter& w, const Vec3f& v);
Vec3f get_vec3f(ByteReader& r);

// Appends the thrusts, ways, drives and values.
void encode_held(const Controls& c, ByteWriter& w);

// Reads them for a state after `tick`. Returns false if a value is out of bounds or a list is out
// of order. The caller checks that the bodies exist.
// REQUIRES: `controls` has its clients, and nothing of these.
bool decode_held(ByteReader& r, const Scene& scene, Tick tick, Controls& controls);

}  // namespace orrery
