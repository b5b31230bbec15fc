// Owns the numbers that say how contacts behave. Lengths in the scene's unit, taken to be metres.
#pragma once

namespace orrery::physics {

// How far apart surfaces may be and still make a contact (it pushes only once they meet): the
// margin to give to the broad phase.
inline constexpr double kContactMargin = 0.02;

// A contact keeps its geometry while its bodies' surfaces have moved less than this against one
// another. Larger values leave deeper overlaps in a tumbling pile.
inline constexpr double kReuseDistance = 0.02;

// Stiffness of contacts: frequency (per time), at most a share of the substeps' own, and damping
// ratio. At half the frequency a stack of 20 boxes buckles as a soft column under its own weight
// does, and overlaps are four times as deep. At a quarter of the substeps' frequency one pass over
// the contacts does not follow what it pushes: a tower of five boxes sways for ever. Contacts with
// something that does not move are twice as stiff: what is below wins.
inline constexpr double kContactFrequency = 60;
inline constexpr double kContactFrequencyShare = 0.2;
inline constexpr double kContactDampingRatio = 5;

// Speed at which overlap is taken out, at most.
inline constexpr double kPushSpeedMax = 3;

// Slower meetings do not bounce.
inline constexpr double kBounceSpeedMin = 1;

}  // namespace orrery::physics
