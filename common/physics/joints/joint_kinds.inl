// Defines the kinds of joints: their properties, and the equations of their rows.
//
// Other files include this one inside orrery::physics. joint.cpp and joint_rows.cpp compute with
// doubles, and tree_passes.cpp with vectors of lanes, once for each instruction set. The file
// includes nothing itself. It expects joint.h, limits.h, elementary.h and <numbers>.
//
// Each kind is a struct with two functions of a frame: JointFrame (joint.h) or LinkFrame
// (tree_lanes.inl). Both call add(n, j_a, j_b, value) for each row, with its directions
// (joint_rows.h):
//
// - hold() adds the rows that hold a joint together. `value` is the error, a length or an angle.
//   Rows with lengths come first. j_a and j_b of these are cross products with n. n is 0 in rows
//   with angles. Three rows with lengths are those of add_point(). A kind without rows with angles
//   must not use axes or `turn`: frames of lanes leave them unset.
// - coordinate() adds a row whose speed is the rate of change of the coordinate `value`. Only
//   frames of doubles need it.
//
// Copies for different numbers compute the same + - * / and square roots in the same order.

// Adds a row along n. The arms reach from the centres of mass to the points on which it acts.
template <class V, class T, class Add>
[[gnu::always_inline]] inline void add_along(V n, V arm_a, V arm_b, T value, Add& add) {
  add(n, cross(arm_a, n), cross(arm_b, n), value);
}
// Adds a row for turning about an axis.
template <class V, class T, class Add>
[[gnu::always_inline]] inline void add_about(V axis, T value, Add& add) {
  const T zero(0.0);
  add(V{zero, zero, zero}, axis, axis, value);
}
// Adds the rows that forbid relative rotation.
template <class F, class Add>
[[gnu::always_inline]] inline void add_fixed_turn(const F& f, Add& add) {
  const auto angles = f.angles();
  add_about(f.axes[0], angles.x, add);
  add_about(f.axes[1], angles.y, add);
  add_about(f.axes[2], angles.z, add);
}

struct DistanceJoint {
  static constexpr JointTraits kTraits{.kind = JointKind::distance,
                                       .name = "distance",
                                       .lengths = 1,
                                       .holds_rest = true,
                                       .least = 0,
                                       .most = limits::kLengthMax,
                                       .range = "0 to 1e12"};
  template <class F, class Add>
  [[gnu::always_inline]] static void hold(const F& f, Add& add) {
    const auto [n, distance] = f.apart();
    add_along(n, f.arm_a, f.arm_b, distance - f.rest, add);
  }
  template <class F, class Add>
  static void coordinate(const F& f, Add& add) {
    const auto [n, distance] = f.apart();
    add_along(n, f.arm_a, f.arm_b, distance, add);
  }
};

struct BallJoint {
  static constexpr JointTraits kTraits{.kind = JointKind::ball,
                                       .name = "ball",
                                       .lengths = 3,
                                       .is_angle = true,
                                       .has_lower = false,
                                       .least = 0,
                                       .most = std::numbers::pi,
                                       .range = "0 to pi"};
  template <class F, class Add>
  [[gnu::always_inline]] static void hold(const F& f, Add& add) {
    f.add_point(add);
  }
  // If the x axes are parallel, any axis perpendicular to them will do.
  template <class F, class Add>
  static void coordinate(const F& f, Add& add) {
    const auto swing = cross(f.axes[0], f.axis_b);
    const auto axis = swing == Vec3{} ? f.axes[1] : direction(swing);
    add_about(axis, elementary::polar_angle(dot(swing, axis), dot(f.axes[0], f.axis_b)), add);
  }
};

struct HingeJoint {
  static constexpr JointTraits kTraits{.kind = JointKind::hinge,
                                       .name = "hinge",
                                       .lengths = 3,
                                       .angles = 2,
                                       .is_angle = true,
                                       .winds = true,
                                       .least = -1e6,
                                       .most = 1e6,
                                       .range = "-1e6 to 1e6"};
  template <class F, class Add>
  [[gnu::always_inline]] static void hold(const F& f, Add& add) {
    f.add_point(add);
    const auto swing = cross(f.axes[0], f.axis_b);
    add_about(f.axes[1], dot(swing, f.axes[1]), add);
    add_about(f.axes[2], dot(swing, f.axes[2]), add);
  }
  // The angle is from -2 pi to 2 pi. JointRows counts whole turns.
  template <class F, class Add>
  static void coordinate(const F& f, Add& add) {
    add_about(f.axes[0], 2 * elementary::polar_angle(f.turn.x, f.turn.w), add);
  }
};

struct SliderJoint {
  static constexpr JointTraits kTraits{.kind = JointKind::slider,
                                       .name = "slider",
                                       .lengths = 2,
                                       .angles = 3,
                                       .least = -limits::kLengthMax,
                                       .most = limits::kLengthMax,
                                       .range = "-1e12 to 1e12"};
  template <class F, class Add>
  [[gnu::always_inline]] static void hold(const F& f, Add& add) {
    const auto arm_a = f.arm_a + f.between;
    add_along(f.axes[1], arm_a, f.arm_b, dot(f.between, f.axes[1]), add);
    add_along(f.axes[2], arm_a, f.arm_b, dot(f.between, f.axes[2]), add);
    add_fixed_turn(f, add);
  }
  template <class F, class Add>
  static void coordinate(const F& f, Add& add) {
    add_along(f.axes[0], f.arm_a + f.between, f.arm_b, dot(f.between, f.axes[0]), add);
  }
};

struct WeldJoint {
  static constexpr JointTraits kTraits{.kind = JointKind::weld,
                                       .name = "weld",
                                       .lengths = 3,
                                       .angles = 3,
                                       .moves = false,
                                       .least = -limits::kLengthMax,
                                       .most = limits::kLengthMax,
                                       .range = "-1e12 to 1e12"};
  template <class F, class Add>
  [[gnu::always_inline]] static void hold(const F& f, Add& add) {
    f.add_point(add);
    add_fixed_turn(f, add);
  }
  template <class F, class Add>
  static void coordinate(const F&, Add&) {}
};

// Calls take(Kind()) with the struct of a kind.
template <class Take>
[[gnu::always_inline]] inline decltype(auto) with_kind(JointKind kind, const Take& take) {
  switch (kind) {
    case JointKind::distance:
      return take(DistanceJoint());
    case JointKind::ball:
      return take(BallJoint());
    case JointKind::hinge:
      return take(HingeJoint());
    case JointKind::slider:
      return take(SliderJoint());
    case JointKind::weld:
      break;
  }
  return take(WeldJoint());
}
