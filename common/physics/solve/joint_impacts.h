// Lets joints take part in impacts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/physics/body/bodies.h"
#include "common/physics/contacts/contact_kernels.h"
#include "common/physics/contacts/contact_set.h"
#include "common/physics/joints/joints.h"

namespace orrery::physics {

// The passes over impacts (contact_kernels.h) see each body without its joints. A ball that hits a
// door on hinges must feel the whole door turn about its hinges. This class solves the held
// contacts, which have restitution and a body of a joint: one after the other, with the joints of
// both bodies.
//
// Before, the joints are made to hold at the present velocities v. Let d be the change by a normal
// impulse P between free bodies, p its projection onto the motions that joints allow, and |x|^2 =
// x M x with the masses M. The impulse acts along J, so d = M^-1 J P. The projection is orthogonal,
// so |p|^2 = p M d = P J p. Without joints, the speed of the contact would change by J d = |d|^2 /
// P, as restitution asks. With joints it changes by J p. The change p |d|^2 / |p|^2 is therefore
// right. It adds no energy, because v allows the joints. Friction has another factor s: it stops
// sliding and twist. The friction of a free body, with 1/s of its largest impulses, is then
// multiplied by s, so that it keeps its bounds. The free bodies start with velocities that lead to
// the sliding of the bodies with joints.
class JointImpacts {
 public:
  // Finds the held contacts of a tick. Returns false if there are none. BlockFooter::jointed must
  // be up to date.
  bool begin(ContactSet& contacts);
  // Runs a pass over the held contacts, as strike_round() and strike_general() do over others.
  // Returns true if an impulse changed a body. `bodies` has the velocities of the start of the
  // tick.
  bool strike(const Bodies& bodies, ContactSet& contacts, JointSet& joints, std::uint32_t pass,
              const Substep& step);

 private:
  // The lane of a contact.
  struct Held {
    std::uint32_t colour;
    BlockRange range;
    bool round;
    std::uint32_t a, b;  // rows
    bool a_moves, b_moves;
    double friction;
  };
  // A change of the velocities of both bodies of a contact.
  struct Change {
    SolverBody a, b;
  };
  // The objects that all functions use in a pass.
  struct Pass {
    const Bodies& bodies;
    const BodyRows& rows;
    ContactLanes& lanes;
    JointSet& joints;
    std::uint32_t number;
    const Substep& step;
    ImpactSettings settings;
  };
  template <class Array>
  void add_held(std::uint32_t colour, bool round, const Array& array);
  bool looks_at(const Pass& pass, const Held& contact) const;
  void find_slots(const JointSet& joints, const Held& contact);
  void keep(const BodyRows& rows);
  void take_back(const BodyRows& rows) const;
  bool strike_alone(const Pass& pass, const Held& contact, double grip, bool tries) const;
  Change change_of(const BodyRows& rows, const Held& contact) const;
  bool settle(const Pass& pass, const Held& contact);
  double inner(const Bodies& bodies, const Held& contact, const Change& x, const Change& y) const;
  double project(const Pass& pass, const Held& contact, const Change& change,
                 std::vector<SolverBody>& result);
  double rub(const Pass& pass, const Held& contact, const Change& normal, double share);
  double bounded(const Pass& pass, const Held& contact, double factor, double square,
                 const std::vector<SolverBody>& change, double share) const;
  bool strike_one(const Pass& pass, const Held& contact);

  std::vector<Held> held_;
  std::vector<std::uint8_t> settled_;  // of each island: 1 if settle() was called in this tick
  // Of the present contact: the bodies that take part, ascending; their velocities before (by
  // slot); and the projections of both changes (in the order of slots_).
  std::vector<std::uint32_t> slots_;
  std::vector<SolverBody> before_;
  std::vector<SolverBody> normal_;
  std::vector<SolverBody> friction_;
};

}  // namespace orrery::physics
