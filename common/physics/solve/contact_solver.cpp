// Runs the passes of the solver over contacts and joints.
#include "common/physics/solve/contact_solver.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>

#include "common/core/limits.h"
#include "common/physics/contacts/contact_settings.h"

namespace orrery::physics {
namespace {

// Returns the fewest blocks of eight contacts worth handing to a thread (parallel_ranges()). A
// small colour that is split moves its bodies from core to core. With two threads, that costs more
// than the split gains (common/DECISIONS.md).
constexpr std::uint32_t blocks_least(std::uint32_t threads) { return threads > 2 ? 4 : 8; }

static_assert(kContactFrequencyShare > 0 && kContactDampingRatio > 0 && kPushShare > 0);
static_assert(kPushShareMax > kPushShare && kPushLoads > 1 && kPushBodies > 1);
static_assert(kLoadMin > 0 && kStiffnessMax > 1 && kLoadPasses > 0 && kStackShare > 0);
static_assert(kLoadShare > 0 && kLoadShare < kStackShare && kTallShare < 1);
static_assert(kGripSweeps > 0 && kGripKicks > 0);
static_assert(kImpactKicks > 0 && kImpactPassesMax < 255);

// The cube of the load of contacts under which a stack could buckle is kBuckling w^2 d / g.
constexpr double kBuckling = 7.84 / 8 * kStackShare * kStackShare * kStackShare;
// The least load is this part of kStackShare N bodies, over kLoadMin.
constexpr double kLeast = kLoadShare / (kStackShare * kLoadMin);

PassSettings settings(const Substep& step) {
  ORRERY_ASSERT(step.h > 0);
  const double frequency = kContactFrequencyShare / step.h;
  ORRERY_ASSERT(length(step.gravity) >= 0);  // not NaN
  const double gravity = length(step.gravity);
  ORRERY_ASSERT(frequency > 0);
  const double kick = gravity * step.h;
  const double load = kLoadMin * kick;
  const double w = kContactTurn / step.h;
  const double buckling = gravity > 0 ? kBuckling * w * w / gravity : 0;
  return {1 / step.h,
          softness(frequency, kContactDampingRatio, step.h),
          softness(2 * frequency, kContactDampingRatio / 2, step.h),
          load > 0 ? std::min(1 / load, limits::kForceMax) : 0,
          kick,
          buckling,
          kLeast * kLeast * kLeast * buckling};
}

constexpr std::uint64_t kAllColours = ~std::uint64_t{0};

// Calls run(view, range) for all contacts of some colours: first for the overflow contacts one by
// one, then colour by colour.
template <class Run>
void for_contacts(ContactSet& contacts, std::uint64_t colours, Executor& executor, Run run) {
  ORRERY_ASSERT(executor.width() > 0);
  ContactLanes& lanes = contacts.lanes();
  ContactColour& crowded = lanes.colour(kOverflowColour);
  const auto has = [&](std::uint32_t colour) { return (colours >> colour & 1) != 0; };
  for (const ContactEntry entry : contacts.overflow()) {
    if (!has(kOverflowColour)) break;
    const LaneIndex& place = lanes.place(entry.id());
    const std::uint32_t block = place.index / kBlockLanes;
    const BlockRange range{block, block + 1, place.index % kBlockLanes};
    if (place.kind == ContactKind::round) {
      run(crowded.round.view(), range);
    } else {
      run(crowded.general.view(), range);
    }
  }
  const auto side_by_side = [&](auto& array) {
    if (array.size() == 0) return;
    parallel_ranges(executor, array.size(), blocks_least(executor.width()),
                    [&](std::uint32_t begin, std::uint32_t end) {
                      run(array.view(), {begin, end});
                    });
  };
  for (std::uint32_t i = 0; i < kOverflowColour; ++i) {
    if (!has(i)) continue;
    side_by_side(lanes.colour(i).round);
    side_by_side(lanes.colour(i).general);
  }
}

void run_pass(ContactPass pass, ContactSet& contacts, std::uint64_t colours,
              const PassSettings& settings, Executor& executor) {
  const BodyRows& rows = contacts.bodies().rows();
  for_contacts(contacts, colours, executor, [&](auto view, BlockRange range) {
    pass_contacts(pass, rows, view, range, settings);
  });
}

// Runs a pass some times over the contacts of some colours.
void repeat_pass(int times, ContactPass pass, ContactSet& contacts, std::uint64_t colours,
                 const PassSettings& settings, Executor& executor) {
  if (colours == 0) return;
  for (int i = 0; i < times; ++i) run_pass(pass, contacts, colours, settings, executor);
}

// Refreshes contacts after a drift. Round contacts need no refresh: their normals turn with no
// body.
struct Turn {
  void operator()(RoundView, BlockRange) const {}
  void operator()(GeneralView view, BlockRange range) const {
    turn_general(rows, view, range, settings);
  }

  const BodyRows& rows;
  const ImpactSettings& settings;
};

// A pass over impacts.
struct Strike {
  void operator()(RoundView view, BlockRange range) const {
    if (strike_round(rows, view, range, pass, settings)) struck = true;
  }
  void operator()(GeneralView view, BlockRange range) const {
    if (strike_general(rows, view, range, pass, settings)) struck = true;
  }

  const BodyRows& rows;
  std::uint32_t pass;
  const ImpactSettings& settings;
  std::atomic<bool>& struck;  // set if an impulse changed a body
};

// Returns true if is(extra) is true for the data of a block.
template <class Is>
bool any_block(const ContactLanes& lanes, const Is& is) {
  for (std::uint32_t i = 0; i < kColours; ++i) {
    const ContactColour& colour = lanes.colour(i);
    const auto& round = colour.round.extras;
    const auto& general = colour.general.extras;
    if (std::any_of(round.begin(), round.end(), is)) return true;
    if (std::any_of(general.begin(), general.end(), is)) return true;
  }
  return false;
}

// Returns the number of passes over impacts: 0 if no bodies hit each other in this tick. Only
// impacts with restitution need more than one.
std::uint32_t impact_passes(const ContactLanes& lanes) {
  if (!any_block(lanes, [](const auto& extra) { return extra.hits != 0; })) return 0;
  const bool bounces = any_block(lanes, [](const auto& extra) {
    return std::any_of(std::begin(extra.restitution), std::end(extra.restitution),
                       [](double e) { return e > 0; });
  });
  return bounces ? kImpactPassesMax : 1;
}

// Returns a mask of the colours that have fresh contacts.
std::uint64_t fresh_colours(const ContactLanes& lanes) {
  std::uint64_t mask = 0;
  for (std::uint32_t i = 0; i < kColours; ++i) {
    const auto& blocks = lanes.colour(i).general.blocks;
    const bool fresh = std::any_of(blocks.begin(), blocks.end(), [](const ManifoldBlock& block) {
      return block.footer.fresh != 0;
    });
    mask |= std::uint64_t{fresh} << i;
  }
  return mask;
}

// Sets the `jointed` marks of all lanes. `pinned` has a bit for each body of a joint.
ContactSolver::Jointed mark_jointed(ContactLanes& lanes, std::span<const std::uint64_t> pinned) {
  ORRERY_ASSERT(!pinned.empty());
  ContactSolver::Jointed found;
  std::uint32_t contacts = 0;
  const auto mark = [&](std::uint32_t colour, auto& array) {
    for (std::uint32_t i = 0; i < array.count; ++i) {
      auto& block = array.blocks[i / kBlockLanes];
      const std::uint32_t lane = i % kBlockLanes;
      if (lane == 0) block.footer.jointed = 0;
      const bool moves_a = (block.footer.writes_a >> lane & 1) != 0;
      const bool moves_b = (block.footer.writes_b >> lane & 1) != 0;
      if (!(moves_a && has_slot(pinned, block.bodies.row_a[lane])) &&
          !(moves_b && has_slot(pinned, block.bodies.row_b[lane])))
        continue;
      block.footer.jointed |= static_cast<std::uint8_t>(1u << lane);
      found.colours |= std::uint64_t{1} << colour;
      ++contacts;
    }
  };
  for (std::uint32_t i = 0; i < kColours; ++i) {
    mark(i, lanes.colour(i).round);
    mark(i, lanes.colour(i).general);
  }
  if (contacts > 0) found.rounds = std::clamp(kJointRoundContacts / contacts, 1u, kJointRoundsMax);
  return found;
}

bool any_general(const ContactLanes& lanes) {
  for (std::uint32_t i = 0; i < kColours; ++i) {
    if (lanes.colour(i).general.count > 0) return true;
  }
  return false;
}

// Calls pass(begin, end) for ranges of tiles, which together are all tiles of the bodies.
template <class Pass>
void for_tiles(const Bodies& bodies, Executor& executor, Pass pass) {
  parallel_ranges(executor, bodies.tiles(), kTilesLeast, pass);
}

// Bounds the spin of a body. A hit turns speed into spin, without limit for a small and fast body.
// Clamps each component of the angular momentum to the angular momentum of a spin of 2
// kAngularSpeedMax about the axis with the largest moment of inertia. Scenes, commands and forces
// keep spins within kAngularSpeedMax, so a body without contacts and joints never reaches the
// bound.
void bound_spin(Bodies& bodies, std::uint32_t slot) {
  const Vec3 inverse = bodies.inverse_inertia(slot);
  const double least = std::min({inverse.x, inverse.y, inverse.z});
  if (least == 0) return;
  const double most = 2 * limits::kAngularSpeedMax / least;
  bodies.set_angular_momentum(slot, clamped(bodies.angular_momentum(slot), most));
}

// Clamps each component of the velocities of the bodies of tiles [begin, end) to kSpeedMax, and
// bounds their spins. Impulses between very different masses can cause any speed, and products of
// larger numbers may overflow binary64 (limits.h).
void bound_motion(Bodies& bodies, std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t slot = begin * limits::kTileBodies; slot < end * limits::kTileBodies; ++slot) {
    bodies.set_velocity(slot, clamped(bodies.velocity(slot), limits::kSpeedMax));
    bound_spin(bodies, slot);
  }
}

}  // namespace

Softness softness(double frequency, double damping_ratio, double h) {
  ORRERY_ASSERT(frequency > 0 && damping_ratio >= 0 && h > 0);
  const double w = 2 * std::numbers::pi * frequency;
  const double a1 = 2 * damping_ratio + h * w;
  const double a2 = h * w * a1;
  return {w / a1, a2 / (1 + a2)};
}

ImpactSettings impact_settings(const Substep& step) {
  ORRERY_ASSERT(step.h > 0);
  ORRERY_ASSERT(step.tick >= step.h);
  const double kick = step.h * length(step.gravity);
  const double most = kPushBodies * step.h * kick / (kContactTurn * kContactTurn);
  return {step.tick,           0.5 * step.h, step.gravity,
          kImpactKicks * kick, most,         contact_margin(step.gravity, step.tick)};
}

void ContactSolver::set_joints(std::span<const Joint> joints) {
  joints_.set(joints);
  contacts_.bodies().unpin_all();
  for (const Joint& joint : joints) {
    contacts_.bodies().pin(joint.a);
    contacts_.bodies().pin(joint.b);
  }
}

void ContactSolver::remove_body(std::uint32_t slot) {
  ORRERY_ASSERT(slot < contacts_.bodies().rows().null_row);
  joints_.break_joints_of(slot);
  contacts_.end_contacts_of(slot);
}

void ContactSolver::update(const ContactInput& input, Executor& executor) {
  ORRERY_ASSERT(input.separate.empty());  // the joints provide these pairs
  ContactInput with_joints = input;
  with_joints.separate = joints_.separate();
  updater_.update(with_joints, contacts_, executor);
  follower_.begin(with_joints, contacts_);
  joints_.begin_tick(contacts_.bodies().contacts());
  jointed_ = {};
  if (!joints_.joints().empty())
    jointed_ = mark_jointed(contacts_.lanes(), contacts_.bodies().pinned());
  started_ = false;
}

// Impulses of impacts are no warm start, so `pushed` stays 0.
void ContactSolver::strike(Bodies& bodies, const Substep& step, Executor& executor) {
  ORRERY_ASSERT(bodies.capacity() == contacts_.bodies().rows().null_row);
  ORRERY_ASSERT(step.h > 0);
  ORRERY_ASSERT(step.tick >= step.h);
  const std::uint32_t passes = impact_passes(contacts_.lanes());
  if (passes == 0) return;
  const BodyRows& rows = contacts_.bodies().rows();
  ImpactSettings settings = impact_settings(step);
  std::fill_n(rows.struck, bodies.capacity() + std::size_t{1}, std::uint8_t{0});
  const bool held = passes > 1 && jointed_.rounds > 0 && joint_impacts_.begin(contacts_);
  settings.lanes = held ? ImpactLanes::free : ImpactLanes::all;
  flat_impacts_.strike(bodies, contacts_, settings);
  std::atomic<bool> struck{true};
  for (std::uint32_t pass = 1; pass <= passes && struck; ++pass) {
    struck = false;
    for_contacts(contacts_, kAllColours, executor, Strike{rows, pass, settings, struck});
    if (held && joint_impacts_.strike(bodies, contacts_, joints_, pass, step)) struck = true;
  }
  for_tiles(bodies, executor, [&](std::uint32_t begin, std::uint32_t end) {
    store_struck(bodies, rows, begin, end);
  });
}

// From the second substep on, the warm start takes one addition for each body (load_and_push()).
// Normals and arms are constant in a tick, so the impulses of all contacts of a body have the same
// effect in each substep. BodyRows::pushed holds the sum of these effects. Only the first substep
// applies the impulses contact by contact.
//
// The rows of joints change from substep to substep, so joints have a warm start of their own.
// Their effects are taken out of `pushed`.
void ContactSolver::solve(Bodies& bodies, const Substep& step, Executor& executor) {
  ORRERY_ASSERT(bodies.capacity() == contacts_.bodies().rows().null_row);
  const BodyRows& rows = contacts_.bodies().rows();
  for_tiles(bodies, executor, [&](std::uint32_t begin, std::uint32_t end) {
    load_and_push(bodies, rows, begin, end);
  });
  const PassSettings pass = settings(step);
  const bool first = !started_;
  if (first) {
    run_pass(ContactPass::start, contacts_, kAllColours, pass, executor);
    loaded_ = loads_.mark(contacts_.lanes(), rows, pass);
  }
  started_ = true;
  joints_.solve(bodies, rows, step, executor);
  run_pass(ContactPass::solve, contacts_, kAllColours, pass, executor);
  if (first) {
    run_pass(ContactPass::grip, contacts_, fresh_colours(contacts_.lanes()), pass, executor);
  }
  repeat_pass(kLoadPasses, ContactPass::solve_loaded, contacts_, loaded_.loaded, pass, executor);
  repeat_pass(kSlenderPasses, ContactPass::solve_slender, contacts_, loaded_.slender, pass,
              executor);
  repeat_joints(ContactPass::solve_jointed, step, executor);
  for_tiles(bodies, executor, [&](std::uint32_t begin, std::uint32_t end) {
    store_pushed(bodies, rows, step.h, begin, end);
  });
  joints_.take_out(rows, executor);
}

// Solves joints and the contacts of their bodies in turn. A contact sees only the mass of its own
// body, without the bodies that a joint connects to it.
void ContactSolver::repeat_joints(ContactPass pass, const Substep& step, Executor& executor) {
  for (std::uint32_t i = 0; i < jointed_.rounds; ++i) {
    joints_.repeat(contacts_.bodies().rows(), step, executor);
    run_pass(pass, contacts_, jointed_.colours, settings(step), executor);
  }
}

// Bodies that turn in a tick have another inertia and other contact points after each drift. Those
// on curved ground have other normals. The impulses of the tick go on in the new places.
void ContactSolver::turn(const ShapedBodies& shaped, const Substep& step, Executor& executor) {
  ORRERY_ASSERT(step.tick >= step.h);
  if (!any_general(contacts_.lanes()) && !follower_.any()) return;
  const Bodies& bodies = shaped.bodies;
  const BodyRows& rows = contacts_.bodies().rows();
  for_tiles(bodies, executor, [&](std::uint32_t begin, std::uint32_t end) {
    find_turning(bodies, rows, kTurnMax / step.tick, begin, end);
  });
  const std::span<const std::uint64_t> turning(rows.turning, bodies.tiles());
  const bool none =
      std::all_of(turning.begin(), turning.end(), [](auto word) { return word == 0; });
  if (none && !follower_.any()) return;
  for_tiles(bodies, executor,
            [&](std::uint32_t begin, std::uint32_t end) { load_turned(bodies, rows, begin, end); });
  const ImpactSettings settings = impact_settings(step);
  follower_.follow(shaped, contacts_, settings, executor);
  for_contacts(contacts_, kAllColours, executor, Turn{rows, settings});
}

void ContactSolver::relax(Bodies& bodies, const ShapedBodies& shaped, const Substep& step,
                          Executor& executor) {
  ORRERY_ASSERT(bodies.capacity() == contacts_.bodies().rows().null_row);
  const BodyRows& rows = contacts_.bodies().rows();
  turn(shaped, step, executor);
  for_tiles(bodies, executor, [&](std::uint32_t begin, std::uint32_t end) {
    load_velocities(bodies, rows, begin, end);
  });
  joints_.relax(bodies, rows, step, executor);
  const PassSettings pass = settings(step);
  run_pass(ContactPass::relax, contacts_, kAllColours, pass, executor);
  repeat_pass(kLoadPasses, ContactPass::relax_loaded, contacts_, loaded_.loaded, pass, executor);
  repeat_pass(kSlenderPasses, ContactPass::relax_slender, contacts_, loaded_.slender, pass,
              executor);
  repeat_joints(ContactPass::relax_jointed, step, executor);
  for_tiles(bodies, executor, [&](std::uint32_t begin, std::uint32_t end) {
    store_velocities(bodies, rows, begin, end);
  });
  joints_.take_out(rows, executor);
}

void ContactSolver::finish(Bodies& bodies, Executor& executor) {
  ORRERY_ASSERT(bodies.capacity() == contacts_.bodies().rows().null_row);
  for_tiles(bodies, executor,
            [&](std::uint32_t begin, std::uint32_t end) { bound_motion(bodies, begin, end); });
}

}  // namespace orrery::physics
