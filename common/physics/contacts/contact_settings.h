// Defines the tuning constants of contacts. Lengths in the scene's unit, taken to be metres.
#pragma once

namespace orrery::physics {

// Speculative margin: the largest distance of surfaces that make a contact. The contact pushes only
// if the gap would close within the substep. The broad phase must use the same margin.
inline constexpr double kContactMargin = 0.02;

// A contact keeps its geometry while the surfaces have moved less than this against each other.
// Larger values leave deeper overlaps in a tumbling pile.
inline constexpr double kReuseDistance = 0.02;

// Softness of contacts: a frequency (per time), at most a fraction of the substep frequency, and a
// damping ratio. At half the frequency a stack of 20 boxes buckles under its own weight like a soft
// column. At a quarter of the substep frequency one pass over the contacts cannot follow its own
// impulses: a tower of five boxes sways for ever. Contacts with a body that does not move are twice
// as stiff, because errors at the bottom of a stack affect all of it.
inline constexpr double kContactFrequency = 60;
inline constexpr double kContactFrequencyShare = 0.2;
inline constexpr double kContactDampingRatio = 5;

// Largest speed (m/s) at which overlapping bodies are pushed apart.
inline constexpr double kPushSpeedMax = 3;

// Least approach speed (m/s) that bounces. Restitution is ignored below it.
inline constexpr double kBounceSpeedMin = 1;

}  // namespace orrery::physics
