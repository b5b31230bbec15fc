// Lists the convex shapes that the checks try in turn.
#pragma once

#include "tests/field/scenes.h"

namespace orrery::field {

enum class Convex { ball, capsule, box, hull, cylinder };
inline constexpr Convex kConvex[] = {Convex::ball, Convex::capsule, Convex::box, Convex::hull,
                                     Convex::cylinder};

inline const char* name_of(Convex kind) {
  constexpr const char* kNames[] = {"ball", "capsule", "box", "hull", "cylinder"};
  return kNames[static_cast<int>(kind)];
}

// Returns a shape that reaches `size` from its centre along x, y and z. The capsule lies along y.
inline physics::PartDef convex(Convex kind, double size) {
  switch (kind) {
    case Convex::ball:
      return ball(size);
    case Convex::capsule:
      return capsule(size / 2, size / 2);
    case Convex::box:
      return cube(size);
    case Convex::hull:
      return box_hull({size, size, size});
    case Convex::cylinder:
      return cylinder(size, size, 16);
  }
  return {};
}

}  // namespace orrery::field
