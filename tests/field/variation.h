// Declares variations of a scene: the same motion in another size, direction, order or frame.
#pragma once

#include <cstdint>
#include <string>

#include "tests/field/engine.h"
#include "tests/field/scenes.h"

namespace orrery::field {

// A way to set up a scene. Times follow the lengths, so that gravity keeps its value; `units`
// keeps the times and the masses instead, as a change of the unit of length does.
struct Variation {
  std::string name = "as it is";
  double length = 1;         // factor of all lengths
  bool units = false;        // another unit of length, not another size
  bool ticks_follow = true;  // a tick lasts as much longer as the motion does
  std::uint32_t rate = 60;   // ticks per second of the scene as it was written
  Quat turned;               // rotation of the scene
  bool mirrored = false;     // x is -x
  Vec3 drift;                // velocity of the frame; fixed bodies become kinematic ones
  bool reversed = false;     // bodies in the opposite order

  double time() const;       // factor of all times
  double mass() const;       // factor of all masses: small bodies are denser, within the limits
  double tick_time() const;  // seconds of the varied scene
};

// Returns the scene under a variation.
Scene vary(const Scene& scene, const Variation& variation);
// Returns the motion in the scene as it was written, from that in the varied scene after `seconds`
// of the varied scene.
BodyMotion undo(const BodyMotion& motion, const Variation& variation, double seconds);

}  // namespace orrery::field
