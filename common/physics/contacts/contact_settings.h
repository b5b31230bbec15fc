// Defines the tuning constants of contacts. None has a unit.
#pragma once

#include <cstdint>

#include "common/physics/body/contact_margin.h"

namespace orrery::physics {

// A contact keeps its geometry until the surfaces have moved relative to each other, since the
// narrow phase, by this share of the inner radius of the smaller part. Rotation counts too, so a
// part turns by at most this angle (rad). Larger values leave deeper overlaps in a tumbling pile.
// Points that the narrow phase left out were farther apart than the margin. They still have a gap
// then, or overlap by no more than this share.
inline constexpr double kReuseShare = kMarginShareMin;

// A body turns if it rotates faster than this angle (rad) per tick, and a kinematic body if it
// rotates at all. The contacts of a body that turns are refreshed in each substep.
//
// - With 0.02, a plank that rocks on a log gains energy: 60 % of its swing in 20 s.
// - With 0, bodies at rest are refreshed, too.
inline constexpr double kTurnMax = 1e-4;

// A flat contact (three points or more) that does not press is refreshed only if a body rotates
// faster than this angle (rad) per tick, or if an impact struck it in this tick.
//
// - Without this, the `pyramid` takes 1.2 times as long.
// - If it holds for all contacts, 40 pencils sink into each other by 0.4 of their thickness.
// - If it holds for struck ones, too, three checks of off-centre hits fail in the field suite.
inline constexpr double kIdleTurnMax = 0.02;

// A round part moves along a curved ground if it moves by this share of the inner radius of the
// smaller part in a tick. Its contact is then computed again in each substep
// (update/contact_follow.h). With 0.01, a capsule of 1 m gains energy while it swings by less than
// 5 cm.
inline constexpr double kFollowShare = 0.001;

// The contacts of a kinematic body that turns by more than this angle (rad) in a substep are not
// refreshed. Its surface would be extended far beyond its edges, and push a body that left it with
// an arm that grows without bound.
inline constexpr double kDrivenTurnMax = 0.1;

// Softness of contacts (contact_kernels.h): a frequency and a damping ratio. The frequency is
// kContactFrequencyShare times the substep frequency.
//
// - With half of it a stack of 20 boxes buckles under its own weight.
// - With a share of 0.25 a tower of five boxes sways for ever: contacts are too stiff for one pass
//   in each substep.
//
// Contacts with a body without inverse mass have twice the frequency and half the damping ratio,
// because errors at the bottom of a stack affect all of it.
inline constexpr double kContactFrequencyShare = 0.2;
// The angular frequency w of contacts times the length h of a substep.
inline constexpr double kContactTurn = 2 * 3.14159265358979323846 * kContactFrequencyShare;
inline constexpr double kContactDampingRatio = 5;

// The load of a contact is its normal impulse, over the impulse that the lighter body needs in a
// substep against uniform gravity. The contacts of a stack that could buckle are under load if one
// of them carries more than the least load. Their stiffness grows with the cube of the load, up to
// kStiffnessMax times. In each substep they have kLoadPasses more passes before and after the
// drift.
//
// At rest a soft contact is a spring, and a stack of soft contacts buckles like a column. With the
// angular frequency w of contacts and the gravity g, cubes of side d keep up to
// N = (7.84 w^2 d / 8 g)^(1/3). Here d is twice the inner radius of the smaller part. A stack could
// buckle if it carries more than kStackShare N bodies: as many as its mass over the number of its
// lowest bodies, or as the mass of its heaviest body. The least load is kLoadShare N bodies, but at
// most kLoadMin. For cubes of 1 m at 60 Hz on Earth both are the same.
//
// - With kLoadMin for all sizes, stacks of thin plates sink by half of their height.
// - A whole number for kLoadMin would let contacts of stacks of equal boxes flicker.
// - If only the lower half of a tower is under load, it sways for ever. 18 crossed layers of three
//   bars of 75 cm did at 0.3 m/s.
// - With a kStiffnessMax of 6, heavy bodies on light ones jitter.
// - With 3 more passes, heavy bodies on light ones jitter; with 1, a tower of 30 boxes falls.
inline constexpr double kLoadMin = 5.5;
inline constexpr double kStiffnessMax = 4.6;
inline constexpr int kLoadPasses = 5;
inline constexpr double kStackShare = 0.7;
inline constexpr double kLoadShare = 0.262;

// A slender stack is a column under load. Its bodies press on kSlenderPresses others on average and
// on kSlenderPressesMax at most, and nothing but its contacts keeps it upright. If it could buckle,
// they have kSlenderPasses more passes, and may be kSlenderStiffness (n / kStackShare N)^3 times as
// stiff as usual, for n bodies. Below a heavy body the passes solve softer ones only: up to
// kSlenderMasses / m k times as stiff. Here m is the ratio of its mass to the mass at the contact,
// and k the height in bodies. If that is below 1, the stack is not slender. kSlenderContactsMax
// bounds the sum of all contacts in a tick, counted at both bodies.
//
// - With the passes of other contacts under load, 17 cubes of 10 cm fall at 60 Hz.
// - With 15 more passes, 20 cubes of 2 cm fall; with 25, 30 cubes of 10 cm do not.
// - Without kSlenderMasses, a cube of 500 times the mass on another one jitters at 0.2 m/s.
inline constexpr double kSlenderPresses = 2.5;
inline constexpr double kSlenderPressesMax = 4;
inline constexpr double kSlenderContactsMax = 1000;
inline constexpr int kSlenderPasses = 25;
inline constexpr double kSlenderStiffness = 0.5;
inline constexpr double kSlenderStiffnessMax = 100;
inline constexpr double kSlenderMasses = 1e4;

// Each pass solves joints and the contacts of their bodies in turn, kJointRoundsMax more times. It
// does so less often if there are more than kJointRoundContacts / kJointRoundsMax such contacts.
//
// - Without this, a table with welded legs shakes at 5 cm/s. A seat of 4 kg on four ropes explodes
//   under 80 kg.
// - With 4, a table under 20 times its mass sways at 6 cm/s. With 8 it is at rest.
// - With 256, 100 ragdolls take 1.04 to 1.10 times as long as without.
inline constexpr std::uint32_t kJointRoundsMax = 8;
inline constexpr std::uint32_t kJointRoundContacts = 256;

// A tall body needs the passes of contacts under load, too. At its narrow foot each point has
// almost the same effect, and one pass leaves the rocking to the next. Its contact has three points
// or more, with effective masses above kTallShare of the reduced mass on average. It is 0.8 for a
// box that is 5 times as high as wide. Without these passes, a box that is 8 times as high as wide
// rocks for ever at 0.4 kicks.
//
// A narrow face needs them, too, if the body moves slowly. Two of its points are coupled by more
// than kNarrowCoupling. The coupling is the square of the speed that an impulse at one point gives
// the other, over the product of the speeds that both give their own points. The contact bears at
// least kNarrowLoad of the weight of the lighter body.
//
// - Without these passes, a prism of 24 sides rocks on one of them for ever, at 1 to 2 cm/s.
// - If fast bodies get them, thin ones gain energy.
// - With a load of 0.3, prisms still rock.
// - With 0, the `pyramid` takes 1.2 times as long.
inline constexpr double kTallShare = 0.8;
inline constexpr double kNarrowCoupling = 0.8;
inline constexpr double kNarrowLoad = 0.1;

// Iterations over a fresh contact (ContactPass::grip). It had no impulse in the last tick, and the
// bodies are slower than kGripKicks kicks of uniform gravity in a substep.
inline constexpr int kGripSweeps = 12;
inline constexpr double kGripKicks = 2;
// They slide by more than this many kicks. On level ground nothing slides.
inline constexpr double kGripKicksMin = 0.01;

// A deeper overlap is pushed apart like an overlap of kPushShare inner radii of the smaller part.
// With four substeps of 60 Hz, boxes of 1 m are pushed apart at up to 3 m/s. With a largest speed
// instead, scenes in centimetres fall: gravity alone may give more speed in a substep.
//
// A point under load may be pushed like a deeper overlap, of up to kPushShareMax inner radii. It is
// the overlap of a soft contact that bears at least kPushLoads times the impulse of the point. With
// kPushShare only, a plate bears no more than a few others, and they sink into each other. But it
// is at most the overlap of a contact that bears kPushBodies bodies of its own mass. Otherwise a
// body below one of a million times its mass flies off at 80 m/s.
inline constexpr double kPushShare = 0.25;
inline constexpr double kPushShareMax = 2;
inline constexpr double kPushLoads = 3;
inline constexpr double kPushBodies = 100;

// An impact is faster than this many kicks of uniform gravity in a substep. Slower bodies stop
// without a bounce.
inline constexpr double kImpactKicks = 2;

// Most passes over the contacts of bodies that hit each other. An impact travels through at least
// one contact of a row in each pass.
inline constexpr std::uint32_t kImpactPassesMax = 64;

}  // namespace orrery::physics
