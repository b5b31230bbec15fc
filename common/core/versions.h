// The version numbers of the project. CONTRIBUTING.md says when each is raised.
//
// The product version is in CMakeLists.txt: project(orrery VERSION ...).
#pragma once

#include <cstdint>

namespace orrery {

// The version of the rules: how a world steps. Every commit that changes the golden hash of a state
// of an existing scene raises it. A log replays bit for bit in every build that has the rules under
// which it was recorded.
inline constexpr std::uint32_t kRulesVersion = 20;

// The layout of session logs. A build reads this version and every older one.
inline constexpr std::uint32_t kLogFormatVersion = 8;

// The version of the protocol. A client and a server must have the same.
inline constexpr std::uint32_t kProtocolVersion = 13;

// The layout of images of scenes that are not solved. A solved scene has shapes, joints or
// kinematic bodies, so it needs the contact solver.
inline constexpr std::uint32_t kImageVersion = 1;

// The layout of images of solved scenes. Compared with kImageVersion, it adds contacts. It also
// adds joints and sleep if the scene has them.
inline constexpr std::uint32_t kContactsImageVersion = 4;

// An older layout of images of solved scenes, which a build also reads. It lacks the angles of
// hinges.
inline constexpr std::uint32_t kOldContactsImageVersion = 3;

// An image's version says which of the two layouts it has.
static_assert(kImageVersion != kContactsImageVersion);

}  // namespace orrery
