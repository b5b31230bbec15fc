// Solves impacts of a body that hits fixed bodies at several contacts.
#include "common/physics/solve/flat_impacts.h"

#include <algorithm>
#include <utility>

#include "common/core/assert.h"
#include "common/physics/solve/mass_product.h"

namespace orrery::physics {
namespace {

// Contacts with fixed bodies that a body usually has at most.
constexpr std::size_t kFeetUsual = 64;

}  // namespace

FlatImpacts::FlatImpacts(std::uint32_t capacity) {
  ORRERY_ASSERT(capacity >= 1);
  feet_.reserve(contacts_max(capacity));
  changes_.reserve(kFeetUsual);
}

template <class Array>
void FlatImpacts::add_feet(std::uint32_t colour, bool round, const Array& array) {
  for (std::uint32_t i = 0; i < array.size(); ++i) {
    const auto& block = array.blocks[i];
    const auto& extra = array.extras[i];
    for (std::uint32_t lane = 0; extra.hits >> lane != 0; ++lane) {
      const bool moves_a = (block.footer.writes_a >> lane & 1) != 0;
      const bool moves_b = (block.footer.writes_b >> lane & 1) != 0;
      const bool jointed = (block.footer.jointed >> lane & 1) != 0;
      if (!(extra.hits >> lane & 1) || moves_a == moves_b || jointed) continue;
      feet_.push_back({moves_a ? block.bodies.row_a[lane] : block.bodies.row_b[lane],
                       moves_a ? block.bodies.row_b[lane] : block.bodies.row_a[lane],
                       extra.key[lane],
                       colour,
                       {i, i + 1, lane},
                       round});
    }
  }
}

void FlatImpacts::strike(const Bodies& bodies, ContactSet& contacts,
                         const ImpactSettings& settings) {
  ORRERY_ASSERT(settings.tick > 0 && !settings.tries);
  feet_.clear();
  for (std::uint32_t i = 0; i < kColours; ++i) {
    add_feet(i, true, contacts.lanes().colour(i).round);
    add_feet(i, false, contacts.lanes().colour(i).general);
  }
  // The order of sums may not depend on lanes, as they depend on the past.
  std::sort(feet_.begin(), feet_.end(), [](const Foot& x, const Foot& y) {
    return std::pair{x.row, x.key} < std::pair{y.row, y.key};
  });
  for (std::size_t begin = 0, end = 0; begin < feet_.size(); begin = end) {
    while (end < feet_.size() && feet_[end].row == feet_[begin].row) ++end;
    if (end - begin > 1) strike_body(bodies, contacts, settings, begin, end);
  }
}

// Runs the pass over one contact, with a factor of its friction. Returns the change of the
// velocities of the body from `before`, and takes it back.
SolverBody FlatImpacts::strike_alone(ContactSet& contacts, const Foot& foot,
                                     const SolverBody& before, ImpactSettings settings, double grip,
                                     bool tries) const {
  ORRERY_ASSERT(foot.colour < kColours && foot.range.begin + 1 == foot.range.end);
  ORRERY_ASSERT(grip >= 0);
  const BodyRows& rows = contacts.bodies().rows();
  ContactColour& colour = contacts.lanes().colour(foot.colour);
  settings.grip = grip;
  settings.tries = tries;
  rows.motion[foot.row] = before;
  if (foot.round) {
    strike_round(rows, colour.round.view(), foot.range, 1, settings);
  } else {
    strike_general(rows, colour.general.view(), foot.range, 1, settings);
  }
  const SolverBody change = difference(rows.motion[foot.row], before);
  rows.motion[foot.row] = before;
  return change;
}

// Applies the impulses of the contacts [begin, end) of one body: along the normals, then friction.
void FlatImpacts::strike_body(const Bodies& bodies, ContactSet& contacts,
                              const ImpactSettings& settings, std::size_t begin, std::size_t end) {
  ORRERY_ASSERT(end - begin > 1 && end <= feet_.size());
  const std::uint32_t row = feet_[begin].row;
  SolverBody& motion = contacts.bodies().rows().motion[row];
  const SolverBody before = motion;
  changes_.clear();
  double squares = 0;
  for (std::size_t i = begin; i < end; ++i) {
    changes_.push_back(strike_alone(contacts, feet_[i], before, settings, 0, false));
    squares += mass_product(bodies, row, changes_.back(), changes_.back());
  }
  const double factor = share_of(squares, bodies, row);
  const SolverBody after = sum(before, factor);
  double taken = 0;
  for (std::size_t i = begin; i < end; ++i) {
    SolverBody& change = changes_[i - begin];
    ImpactSettings by_others = settings;
    by_others.others = difference(difference(after, before), change);
    change = difference(strike_alone(contacts, feet_[i], before, by_others, factor, true),
                        strike_alone(contacts, feet_[i], before, by_others, 0, true));
    const SolverBody sliding = difference(after, surface(contacts, feet_[i], settings));
    taken -= mass_product(bodies, row, sliding, change);
  }
  motion = sum(after, std::clamp(share_of(taken, bodies, row), 0.0, 1.0));
}

// Returns the velocities that the body would have if it moved with the other body of a contact, as
// the solver stores them.
SolverBody FlatImpacts::surface(ContactSet& contacts, const Foot& foot,
                                const ImpactSettings& settings) const {
  const BodyRows& rows = contacts.bodies().rows();
  ORRERY_ASSERT(foot.row < rows.null_row && foot.other <= rows.null_row);
  const auto vector = [](const SolverBody& of, int first) {
    return Vec3{of.at[first], of.at[first + 1], of.at[first + 2]};
  };
  SolverBody motion = rows.motion[foot.other];
  const SolverBody &pose = rows.pose[foot.row], &other = rows.pose[foot.other];
  const Vec3 v = vector(motion, 0) + cross(vector(motion, 3), vector(pose, 0) - vector(other, 0)) -
                 settings.half_time * (pose.at[7] - other.at[7]) * settings.gravity;
  motion.at[0] = v.x, motion.at[1] = v.y, motion.at[2] = v.z;
  return motion;
}

// Returns a square over |d|^2.
double FlatImpacts::share_of(double square, const Bodies& bodies, std::uint32_t row) const {
  ORRERY_ASSERT(row < bodies.capacity() && changes_.size() > 1);
  const SolverBody all = sum({}, 1);
  const double whole = mass_product(bodies, row, all, all);
  return whole > 0 ? square / whole : 0;
}

// Returns velocities plus all changes, with a factor.
SolverBody FlatImpacts::sum(SolverBody to, double factor) const {
  for (const SolverBody& change : changes_) {
    for (int k = 0; k < 6; ++k) to.at[k] += factor * change.at[k];
  }
  return to;
}

}  // namespace orrery::physics
