// Solves rows of joints one by one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "common/math/vec3.h"
#include "common/physics/body/bodies.h"
#include "common/physics/body/body_rows.h"
#include "common/physics/contacts/contact_kernels.h"
#include "common/physics/joints/joint.h"
#include "common/physics/joints/joint_trees.h"

namespace orrery::physics {

// The rows of joints that are solved one by one, in the order in which they were added
// (Gauss-Seidel): limits, springs, motors, and the joints outside trees.
class JointRows {
 public:
  // The rule of a row. A row is one equation for the speed n.(vB - vA) + jB.wB - jA.wA, with one
  // impulse. v and w are the velocities and angular velocities of bodies A and B. The row's linear
  // direction is n, and its angular directions are jA and jB.
  enum class Rule : std::uint8_t {
    hold,   // error = 0
    bound,  // error >= 0
    // A spring: one impulse before the drift pulls error to 0, one after it damps.
    spring,
    // A spring that is too stiff for `spring`, by itself or together with other springs at its
    // bodies: it becomes a soft constraint.
    stiff,
    servo,  // a spring with the response of whole trees and a limited impulse, once in a substep
    // A motor: drives the speed to `error`, which is the motor speed here. The impulse is limited.
    // The motor stops at the limits of its joint.
    drive,
  };
  // How much a spring changes the speed of its coordinate in a substep.
  struct SpringRates {
    double pull = 0;   // per length or angle, before the drift
    double brake = 0;  // per speed, after the drift
  };
  // How far a coordinate is from its limits; negative beyond a limit.
  struct Room {
    double below = std::numeric_limits<double>::infinity();
    double above = std::numeric_limits<double>::infinity();
  };
  // An equation for the speed of two bodies, with one impulse.
  struct Row {
    Rule rule;
    std::uint32_t impulse;  // index of its impulse
    std::uint32_t a;
    std::uint32_t b;
    Vec3 n;
    Vec3 j_a;
    Vec3 j_b;
    Vec3 k_a;  // I^-1 j: change of angular velocity per impulse, subtracted on a and added on b
    Vec3 k_b;
    double mass;    // effective mass; 0: the row has no effect
    double share;   // the effective mass without the inertia that trees add, over `mass`
    double error;   // length or angle; `bound`: negative beyond the limit; `drive`: the motor speed
    double limit;   // largest impulse of `drive` and `servo`
    Room room;      // of `drive`
    Softness soft;  // of `hold`, `bound`, `stiff`
    SpringRates rates;          // of `spring` and `servo`
    JointLoad* load = nullptr;  // of its joint, if a load can break it
  };
  // Removes all rows. The rows added next are for a substep of length h.
  // `stiff` has the inertia that trees add to bodies; nullptr: none.
  // REQUIRES: h > 0.
  void start(double h, const JointTrees* stiff);
  // Adds the rows of a joint at the present poses. If `holds` is false, leaves out the rows that
  // hold the joint together. `first` is the index of the joint's first number in `numbers`. The
  // first impulses of a joint are those of the rows that hold it, even if these rows are left out.
  // Updates the angle of a joint that keeps it.
  // `frequencies` is the sum of the spring frequencies at body a, plus the sum at body b; a body
  // that does not move counts as 0. `load` (unless null) gets the impulses of the rows.
  // REQUIRES: since the last update of the angle, the hinge turned by less than half a turn.
  void add(const Joint& joint, bool holds, std::uint32_t first, double frequencies,
           const Bodies& bodies, const BodyRows& rows, std::span<double> numbers,
           JointLoad* load = nullptr);

  // Returns the rows, in the order in which they were added.
  std::span<const Row> rows() const { return rows_; }

  // Each function below processes some of the rows().
  // Makes the kicks of Rule::spring, before the drift.
  void kick_springs(const BodyRows& bodies, std::span<const Row> rows,
                    std::span<double> impulses) const;
  // Damps Rule::spring, after the drift, at the speeds of the drift.
  void damp_springs(const BodyRows& bodies, std::span<const Row> rows) const;
  // Does the warm start: applies the impulses of all rows except Rule::spring. relax() leaves each
  // impulse times its Row::share. If the bodies then have another inertia, the impulse changes
  // the speed of the row by as much as before.
  void apply(const BodyRows& bodies, std::span<const Row> rows, std::span<double> impulses) const;
  // Run a pass: one sweep over the rows except Rule::spring, which changes velocities and impulses.
  // relax() also leaves out Rule::stiff.
  void solve(const BodyRows& bodies, std::span<const Row> rows, std::span<double> impulses) const;
  void relax(const BodyRows& bodies, std::span<const Row> rows, std::span<double> impulses) const;

  // Returns the largest speed towards a limit at the distance `room` in a pass over substeps of
  // length h. Beyond the limit, `solve` corrects the share h * `rate` of the error.
  static double approach(double room, double rate, double h, bool relaxes) {
    return room > 0 ? room / h : relaxes ? 0 : rate * room;
  }
  // Returns the speed that a row of Rule::drive aims at.
  static double drive_speed(const Row& row, double h, bool relaxes) {
    const auto most = [&](double room) { return approach(room, row.soft.rate, h, relaxes); };
    return std::max(std::min(row.error, most(row.room.above)), -most(row.room.below));
  }
  // A substep corrects no more of an error than a turn of a body by this angle (rad) removes. A hit
  // may open joints by more than the size of their bodies.
  static constexpr double kCutTurn = 0.2;
  // Returns the speed that a row of Rule::servo aims at if it is `now`.
  static double servo_speed(const Row& row, double now) {
    return now - row.rates.brake * now - row.rates.pull * row.error;
  }
  // Returns the error of a row of Rule::hold, cut to this bound.
  static double cut_error(const Row& row);
  // Returns the speed along a row.
  static double speed(const BodyRows& bodies, const Row& row);
  // Changes the velocities of the bodies of a row by an impulse along it. Adds it to Row::load.
  static void push(const BodyRows& bodies, const Row& row, double impulse);

 private:
  // The directions of a row.
  struct Directions {
    Vec3 n;
    Vec3 j_a;
    Vec3 j_b;
  };
  struct Source;

  void add_row(const Source& source, Rule rule, const Directions& along, double error);
  void add_servo(const Source& source, const Directions& along, double stretch);
  void add_spring(const Source& source, const Directions& along, double stretch);
  void add_coordinate(const Source& source, const Directions& along, double value);
  template <bool kRelax>
  void pass(const BodyRows& bodies, std::span<const Row> rows, std::span<double> impulses) const;

  std::vector<Row> rows_;
  std::uint32_t next_impulse_ = 0;     // index of the impulse of the next row
  JointLoad* load_ = nullptr;          // argument of add()
  double frequencies_ = 0;             // argument of add()
  const JointTrees* stiff_ = nullptr;  // argument of start()
  double time_ = 0;                    // length of the substep
  Softness rigid_{};                   // of `hold` and `bound` rows
};

}  // namespace orrery::physics
