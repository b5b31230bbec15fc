// Solves impacts of a body that hits fixed bodies at several contacts.
#pragma once

#include <cstdint>
#include <vector>

#include "common/physics/body/bodies.h"
#include "common/physics/contacts/contact_kernels.h"
#include "common/physics/contacts/contact_set.h"

namespace orrery::physics {

// The passes over impacts (contact_kernels.h) take contacts one after the other. A table that falls
// flat would bounce off its first foot, and turn. Therefore all contacts of one body with bodies
// that cannot be pushed first act together. Contact i alone would change the velocities by d_i, and
// gets f d_i. With |x|^2 = x M x, the mass M and d the sum of all d_i, the factor
//
//   f = (sum of |d_i|^2) / |d|^2
//
// leaves the least error. It is exact in a flat fall, and adds no energy if no d_i does.
//
// Friction follows at the velocities after that, with impulses of f times the ones along the
// normals. With d_i the changes by friction and u_i the velocities relative to the other body,
// the factor
//
//   f = -(sum of u_i M d_i) / |d|^2, at most 1
//
// leaves the least energy, so friction adds none, and keeps its bounds.
class FlatImpacts {
 public:
  // For worlds with `capacity` slots. REQUIRES: capacity >= 1.
  explicit FlatImpacts(std::uint32_t capacity);

  // Applies the impulses of such contacts, before the first pass over impacts. `bodies` has the
  // velocities of the start of the tick.
  void strike(const Bodies& bodies, ContactSet& contacts, const ImpactSettings& settings);

 private:
  // The lane of a contact.
  struct Foot {
    std::uint32_t row;    // of the body that moves
    std::uint32_t other;  // row of the other body
    std::uint64_t key;
    std::uint32_t colour;
    BlockRange range;
    bool round;
  };
  template <class Array>
  void add_feet(std::uint32_t colour, bool round, const Array& array);
  void strike_body(const Bodies& bodies, ContactSet& contacts, const ImpactSettings& settings,
                   std::size_t begin, std::size_t end);
  SolverBody strike_alone(ContactSet& contacts, const Foot& foot, const SolverBody& before,
                          ImpactSettings settings, double grip, bool tries) const;
  SolverBody surface(ContactSet& contacts, const Foot& foot, const ImpactSettings& settings) const;
  double share_of(double square, const Bodies& bodies, std::uint32_t row) const;
  SolverBody sum(SolverBody to, double factor) const;

  std::vector<Foot> feet_;
  std::vector<SolverBody> changes_;  // by each contact of the present body
};

}  // namespace orrery::physics
