// Solves impacts of bodies on joints, one contact after the other.
#include "common/physics/solve/joint_impacts.h"

#include <algorithm>
#include <limits>

#include "common/core/assert.h"
#include "common/physics/contacts/contact_settings.h"
#include "common/physics/solve/mass_product.h"

namespace orrery::physics {
namespace {

// Joints that leave less than this share of |d|^2 hold their bodies: no factor makes them move.
constexpr double kHeldLeast = 1e-6;
// The factor of friction with which it stops all sliding.
constexpr double kGripMost = 1e12;

// Returns twice the kinetic energy of bodies, with the velocities `motion` by slot.
double twice_energy(const Bodies& bodies, std::span<const std::uint32_t> slots,
                    const SolverBody* motion) {
  double sum = 0;
  for (const std::uint32_t slot : slots)
    sum += mass_product(bodies, slot, motion[slot], motion[slot]);
  return sum;
}

}  // namespace

template <class Array>
void JointImpacts::add_held(std::uint32_t colour, bool round, const Array& array) {
  for (std::uint32_t i = 0; i < array.size(); ++i) {
    const auto& block = array.blocks[i];
    for (std::uint32_t lane = 0; lane < kBlockLanes; ++lane) {
      if (!(block.footer.jointed >> lane & 1) || !(array.extras[i].restitution[lane] > 0)) continue;
      held_.push_back({colour,
                       {i, i + 1, lane},
                       round,
                       block.bodies.row_a[lane],
                       block.bodies.row_b[lane],
                       (block.footer.writes_a >> lane & 1) != 0,
                       (block.footer.writes_b >> lane & 1) != 0,
                       block.friction[lane]});
    }
  }
}

bool JointImpacts::begin(ContactSet& contacts) {
  const std::uint32_t capacity = contacts.bodies().rows().null_row;
  ORRERY_ASSERT(capacity > 0);
  held_.clear();
  for (std::uint32_t i = 0; i < kColours; ++i) {
    add_held(i, true, contacts.lanes().colour(i).round);
    add_held(i, false, contacts.lanes().colour(i).general);
  }
  if (held_.empty()) return false;
  // The nearest bodies hit each other first. The order may not depend on lanes, as they depend on
  // the past.
  const auto rank = [&](const Held& contact) {
    const ContactColour& colour = contacts.lanes().colour(contact.colour);
    const std::uint32_t block = contact.range.begin, lane = contact.range.lane;
    if (contact.round)
      return std::pair{colour.round.blocks[block].separation[lane],
                       colour.round.extras[block].key[lane]};
    double least = std::numeric_limits<double>::infinity();
    for (const PointRow& point : colour.general.blocks[block].points) {
      if (point.mass[lane] > 0) least = std::min(least, point.separation[lane]);
    }
    return std::pair{least, colour.general.extras[block].key[lane]};
  };
  std::sort(held_.begin(), held_.end(),
            [&](const Held& x, const Held& y) { return rank(x) < rank(y); });
  settled_.assign(capacity, 0);
  before_.resize(capacity);
  return true;
}

bool JointImpacts::looks_at(const Pass& pass, const Held& contact) const {
  ORRERY_ASSERT(contact.range.lane < kBlockLanes);
  const ContactColour& colour = pass.lanes.colour(contact.colour);
  const std::uint32_t block = contact.range.begin;
  const std::uint32_t hits =
      contact.round ? colour.round.extras[block].hits : colour.general.extras[block].hits;
  const auto changed = [&](std::uint32_t row) {
    return pass.rows.struck[row] != 0 && pass.rows.struck[row] + 1u >= pass.number;
  };
  return (pass.number == 1 && (hits >> contact.range.lane & 1)) || changed(contact.a) ||
         changed(contact.b);
}

// Lists the bodies that take part in an impact.
void JointImpacts::find_slots(const JointSet& joints, const Held& contact) {
  ORRERY_ASSERT(contact.a_moves || contact.b_moves);
  slots_.clear();
  const auto add = [&](std::uint32_t slot, bool moves) {
    if (!moves) return;
    slots_.push_back(slot);
    const JointIslands& islands = joints.islands();
    for (const auto& member : islands.members(islands.island(slot))) slots_.push_back(member.slot);
  };
  add(contact.a, contact.a_moves);
  add(contact.b, contact.b_moves);
  std::sort(slots_.begin(), slots_.end());
  slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());
}

void JointImpacts::keep(const BodyRows& rows) {
  ORRERY_ASSERT(before_.size() == rows.null_row);
  for (const std::uint32_t slot : slots_) before_[slot] = rows.motion[slot];
}

void JointImpacts::take_back(const BodyRows& rows) const {
  for (const std::uint32_t slot : slots_) rows.motion[slot] = before_[slot];
}

// Runs the pass over one contact, as if its bodies had no joints.
bool JointImpacts::strike_alone(const Pass& pass, const Held& contact, double grip,
                                bool tries) const {
  ImpactSettings settings = pass.settings;
  settings.grip = grip;
  settings.tries = tries;
  ContactColour& colour = pass.lanes.colour(contact.colour);
  return contact.round
             ? strike_round(pass.rows, colour.round.view(), contact.range, pass.number, settings)
             : strike_general(pass.rows, colour.general.view(), contact.range, pass.number,
                              settings);
}

// Returns the change of the velocities since keep(). It is 0 for a body that does not move.
JointImpacts::Change JointImpacts::change_of(const BodyRows& rows, const Held& contact) const {
  Change change{};
  if (contact.a_moves) change.a = difference(rows.motion[contact.a], before_[contact.a]);
  if (contact.b_moves) change.b = difference(rows.motion[contact.b], before_[contact.b]);
  return change;
}

// Makes the joints of the bodies of a contact hold. Returns true if that may have changed
// velocities.
bool JointImpacts::settle(const Pass& pass, const Held& contact) {
  ORRERY_ASSERT(!slots_.empty() && settled_.size() == pass.rows.null_row);
  bool any = false;
  const auto take = [&](std::uint32_t slot, bool moves) {
    if (!moves) return;
    std::uint8_t& settled = settled_[pass.joints.islands().island(slot)];
    any = any || settled == 0;
    settled = 1;
  };
  take(contact.a, contact.a_moves);
  take(contact.b, contact.b_moves);
  if (!any) return false;
  pass.joints.project(pass.bodies, pass.rows, slots_, nullptr, pass.step);
  const double before = twice_energy(pass.bodies, slots_, before_.data());
  if (!(twice_energy(pass.bodies, slots_, pass.rows.motion) <= before)) take_back(pass.rows);
  return true;
}

double JointImpacts::inner(const Bodies& bodies, const Held& contact, const Change& x,
                           const Change& y) const {
  const double a = contact.a_moves ? mass_product(bodies, contact.a, x.a, y.a) : 0;
  const double b = contact.b_moves ? mass_product(bodies, contact.b, x.b, y.b) : 0;
  return a + b;
}

// Projects a change of two bodies onto the motions that joints allow. Returns the square of the
// projection, and the projection of each body.
double JointImpacts::project(const Pass& pass, const Held& contact, const Change& change,
                             std::vector<SolverBody>& result) {
  ORRERY_ASSERT(&result == &normal_ || &result == &friction_);
  for (const std::uint32_t slot : slots_) std::fill_n(pass.rows.motion[slot].at, 6, 0.0);
  if (contact.a_moves) std::copy_n(change.a.at, 6, pass.rows.motion[contact.a].at);
  if (contact.b_moves) std::copy_n(change.b.at, 6, pass.rows.motion[contact.b].at);
  pass.joints.project(pass.bodies, pass.rows, slots_, before_.data(), pass.step);
  result.clear();
  double square = 0;
  for (const std::uint32_t slot : slots_) {
    result.push_back(pass.rows.motion[slot]);
    if (pass.rows.motion[slot].inverse_mass() > 0)
      square += mass_product(pass.bodies, slot, result.back(), result.back());
  }
  return square;
}

// Returns the factor of a change with which it adds no energy, or `factor` if that is less. Bodies
// that move by themselves may add energy.
double JointImpacts::bounded(const Pass& pass, const Held& contact, double factor, double square,
                             const std::vector<SolverBody>& change, double share) const {
  ORRERY_ASSERT(change.size() == slots_.size() && factor >= 0);
  const auto rests = [](const SolverBody& motion) {
    return std::all_of(motion.at, motion.at + 6, [](double x) { return x == 0; });
  };
  if (!contact.a_moves && !rests(pass.rows.motion[contact.a])) return factor;
  if (!contact.b_moves && !rests(pass.rows.motion[contact.b])) return factor;
  double gain = 0;  // v M x
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    SolverBody before = before_[slots_[i]];
    if (before.inverse_mass() == 0) {
      if (!rests(before)) return factor;
      continue;
    }
    for (int k = 0; share > 0 && k < 6; ++k) before.at[k] += share * normal_[i].at[k];
    gain += mass_product(pass.bodies, slots_[i], before, change[i]);
  }
  return square > 0 ? std::clamp(factor, 0.0, std::max(-2 * gain / square, 0.0)) : 0;
}

// Finds the projection of friction, friction_, for a normal impulse of `share` times that of free
// bodies. Returns its factor.
double JointImpacts::rub(const Pass& pass, const Held& contact, const Change& normal,
                         double share) {
  ORRERY_ASSERT(share >= 0 && normal_.size() == slots_.size());
  const auto at = [&](std::uint32_t slot) {
    return static_cast<std::size_t>(std::lower_bound(slots_.begin(), slots_.end(), slot) -
                                    slots_.begin());
  };
  Change left = normal;  // the change of both bodies by the joints: share p - d
  for (int k = 0; k < 6; ++k) {
    left.a.at[k] = contact.a_moves ? share * normal_[at(contact.a)].at[k] - normal.a.at[k] : 0;
    left.b.at[k] = contact.b_moves ? share * normal_[at(contact.b)].at[k] - normal.b.at[k] : 0;
  }
  // Returns the change by an impact of free bodies that have this change before. They slide after
  // the impact as the bodies with joints do.
  const auto strike_free = [&](double grip) {
    take_back(pass.rows);
    for (int k = 0; k < 6; ++k) {
      if (contact.a_moves) pass.rows.motion[contact.a].at[k] += left.a.at[k];
      if (contact.b_moves) pass.rows.motion[contact.b].at[k] += left.b.at[k];
    }
    strike_alone(pass, contact, grip, true);
    return change_of(pass.rows, contact);
  };
  const Change smooth = strike_free(0);
  const auto friction_of = [&](double grip) {
    const Change both = strike_free(grip);
    return Change{difference(both.a, smooth.a), difference(both.b, smooth.b)};
  };
  const Change stop = friction_of(kGripMost);
  double held = 0;
  // Returns the factor with which a change stops the motion along it.
  const auto factor = [&](const Change& change) {
    held = project(pass, contact, change, friction_);
    const double free = inner(pass.bodies, contact, change, change);
    const double needed = inner(pass.bodies, contact, change, stop);
    return held > kHeldLeast * free ? std::max(needed / held, 0.0) : 0;
  };
  double slide = factor(stop);
  if (slide > 0) slide = std::min(slide, factor(friction_of(share / slide)));
  return bounded(pass, contact, slide, held, friction_, share);
}

bool JointImpacts::strike_one(const Pass& pass, const Held& contact) {
  const BodyRows& rows = pass.rows;
  ORRERY_ASSERT(contact.friction >= 0);
  find_slots(pass.joints, contact);
  keep(rows);
  // Bodies that do not hit each other may have to wait.
  if (!strike_alone(pass, contact, 0, true)) return strike_alone(pass, contact, 0, false);
  take_back(rows);
  if (settle(pass, contact)) keep(rows);
  double share = 0, slide = 0;  // the factors of the changes along the normal and by friction
  if (strike_alone(pass, contact, 0, true)) {
    const Change normal = change_of(rows, contact);
    const double free = inner(pass.bodies, contact, normal, normal);
    const double held = project(pass, contact, normal, normal_);
    share = held > kHeldLeast * free && held <= free ? free / held : 1;
    share = bounded(pass, contact, share, held, normal_, 0);
    if (contact.friction > 0) slide = rub(pass, contact, normal, share);
  }
  take_back(rows);
  strike_alone(pass, contact, 0, false);  // changes the contact
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    SolverBody& motion = rows.motion[slots_[i]];
    motion = before_[slots_[i]];
    if (motion.inverse_mass() == 0) continue;
    for (int k = 0; k < 6; ++k) {
      if (share > 0) motion.at[k] += share * normal_[i].at[k];
      if (slide > 0) motion.at[k] += slide * friction_[i].at[k];
    }
    rows.struck[slots_[i]] = static_cast<std::uint8_t>(pass.number);
  }
  return true;
}

bool JointImpacts::strike(const Bodies& bodies, ContactSet& contacts, JointSet& joints,
                          std::uint32_t pass, const Substep& step) {
  ORRERY_ASSERT(pass >= 1 && pass <= kImpactPassesMax);
  ORRERY_ASSERT(before_.size() == bodies.capacity());
  Pass all{bodies, contacts.bodies().rows(), contacts.lanes(), joints, pass,
           step,   impact_settings(step)};
  all.settings.lanes = ImpactLanes::held;
  bool struck = false;
  for (const Held& contact : held_) {
    if (looks_at(all, contact) && strike_one(all, contact)) struck = true;
  }
  return struck;
}

}  // namespace orrery::physics
