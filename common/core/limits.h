// Owns every limit of the system, each with its unit and its reason.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/core/ids.h"

namespace orrery::limits {

// --- world ---

// Bodies are processed in tiles of 64: small enough to stay in L1 through every pass of a step.
inline constexpr std::uint32_t kTileBodies = 64;

// Bodies in a world: what a slot number of a BodyId can name.
inline constexpr std::uint32_t kBodiesMax = 1u << kSlotBits;

// A slot may be reused this often before ids repeat.
inline constexpr std::uint32_t kGenerationsMax = 1u << (32 - kSlotBits);

// Springs, and tethers, in a scene: four for each body that a scene can have.
inline constexpr std::uint32_t kSpringsMax = 4 * kBodiesMax;

// Pairs of bodies near each other that are followed in a tick, of moving bodies and as many of
// moving with fixed ones: 16 for each body that a world can have, where a dense pile has 6 to 10.
inline constexpr std::uint32_t kPairsMax = 16 * kBodiesMax;

// Mutual gravity is a sum over all pairs; 2,048 bodies are two million pairs a substep.
inline constexpr std::uint32_t kGravitatingBodiesMax = 2048;

// Shapes in a scene, and parts of all of them: each body may have a shape of its own.
inline constexpr std::uint32_t kShapesMax = kBodiesMax;
inline constexpr std::uint32_t kScenePartsMax = kBodiesMax;

// Points, triangles and heights of all hulls, meshes and height fields of a scene: two square
// kilometres by the metre.
inline constexpr std::uint32_t kShapePointsMax = 1u << 21;

// Contacts of a world: four for each body that there can be; in a pile of balls a body has two to
// three. More do not begin.
inline constexpr std::uint32_t kContactsMax = 4 * kBodiesMax;

// Contacts for each body that a world has room for, on average: boxes among boxes have up to 12.
// Hundreds of bodies in one place have more; the rest does not begin, so that time and memory stay
// in proportion to the world.
inline constexpr std::uint32_t kContactsPerBodyMax = 64;

// Pairs of parts that the narrow phase is asked about in a tick, for each contact that there may
// be: most of those whose boxes overlap touch.
inline constexpr std::uint32_t kQueriesPerContactMax = 4;

// Boxes of bodies, parts and triangles that all sweeps of fast bodies look at in a tick; a cast
// counts as 64. Each body has an equal share, and at least as many as a bullet needs that flies
// through a pile. A body that needs more goes on by as much as one that is not fast.
inline constexpr std::uint32_t kSweepBoxesMax = 1u << 23;
inline constexpr std::uint32_t kSweepBoxesMin = 1u << 12;

// Events that a tick reports: a pile of 10,000 bodies that falls apart has fewer. 5 MB.
inline constexpr std::uint32_t kEventsMax = 1u << 16;

// Joints of a scene: one for every eighth body. They are solved one after another; this many take
// a tick of some tenths of a second.
inline constexpr std::uint32_t kJointsMax = kBodiesMax / 8;

// Substeps in a tick.
inline constexpr std::uint32_t kSubstepsMax = 64;

// Ticks per second; beyond it a timer cannot keep pace.
inline constexpr std::uint32_t kTickRateMax = 1000;

// Scripts of a scene, each of which looks at every body in every tick, and ticks of their legs.
inline constexpr std::uint32_t kScriptsMax = 64;
inline constexpr std::uint32_t kScriptPeriodMax = 1'000'000;

// Bodies with a held thrust or torque at one time.
inline constexpr std::uint32_t kThrustsMax = 4096;

// Magnitudes that may enter the world, in the scene's units. They are far beyond any use, and small
// enough that no product of a few of them overflows binary64.
inline constexpr double kLengthMax = 1e12;
inline constexpr double kSpeedMax = 1e9;
inline constexpr double kAngularSpeedMax = 1e6;
inline constexpr double kMassMin = 1e-12;
inline constexpr double kMassMax = 1e15;
inline constexpr double kInertiaMin = 1e-18;
inline constexpr double kInertiaMax = 1e24;
// Of two principal moments of a body: a needle of any use is within it, and the spin that a body
// can gain by tumbling from the one axis to the other stays within numbers.
inline constexpr double kInertiaRatioMax = 1e12;
inline constexpr double kCoefficientMax = 1e18;  // stiffness, damping, drag, gravitational constant
inline constexpr double kAccelerationMax = 1e9;
inline constexpr double kForceMax = 1e24;  // also torques and impulses
inline constexpr double kTickTimeMax = 1e6;
inline constexpr double kTickTimeMin = 1e-9;

// --- shapes ---

// Parts of one shape: a contact names its parts in 12 bits, of which two tell the manifolds of a
// surface apart.
inline constexpr std::uint32_t kPartsMax = 1024;

// Pairs of parts of compounds near each other that are looked at in a tick: sixteen pairs of the
// largest shapes inside each other, or a pile of thousands of shapes of ten parts.
inline constexpr std::uint32_t kPartPairsMax = 16 * kPartsMax * kPartsMax;

// Radii and half extents: products of a few of them times a density stay within numbers.
inline constexpr double kExtentMin = 1e-6;
inline constexpr double kExtentMax = 1e9;
inline constexpr double kDensityMin = 1e-9;
inline constexpr double kDensityMax = 1e12;
inline constexpr double kFrictionMax = 1e3;

// Vertices of a convex hull: enough for a round body, and its edges fit a byte.
inline constexpr std::uint32_t kHullVerticesMax = 64;

// Points that a hull may be stated by; those inside are left out.
inline constexpr std::uint32_t kHullPointsMax = 4096;

// Triangles of a mesh or height field: what its tree, which is one as of bodies, has room for.
inline constexpr std::uint32_t kTrianglesMax = kBodiesMax;

// Threads of a tick; a tile of bodies is the unit of work, and few machines have more cores.
inline constexpr std::uint32_t kThreadsMax = 256;

// --- clients and commands ---

// Clients that may be joined at one time.
inline constexpr std::uint32_t kClientsMax = 1024;

// Commands of one client in any W ticks: at most W and these; more wait. Nobody does more than
// time has room for, and a burst after an outage needs not wait.
inline constexpr std::uint32_t kCommandsBurst = 8;

// Commands of one tick: what all clients together may send, and the server's joins and leaves.
inline constexpr std::uint32_t kCommandsPerTickMax = 8192;

// Commands of one client that wait in the inbox; one more is refused.
inline constexpr std::uint32_t kCommandsQueuedMax = 64;

// A command may name a tick at most this far ahead of the server's.
inline constexpr std::uint64_t kCommandTicksAhead = 120;

// --- time ---

// Overload: ticks caught up in one wake-up before the session runs slow.
inline constexpr std::uint32_t kCatchUpTicksMax = 4;

// --- wire ---

// A message: what the payload of a packet, 1,200 bytes, leaves behind its header of 16.
inline constexpr std::size_t kMessageBytesMax = 1184;

// Datagrams that are handed to the system at once: together they stay below its 65,507 bytes.
inline constexpr std::size_t kTrainDatagramsMax = 48;

// What may go back to an address that has not proved to receive, of what came from it: nobody gains
// by sending in somebody else's name.
inline constexpr double kAmplificationMax = 0.31;

// Bodies in a snapshot of all bodies: 1,093 datagrams. Of more, clients are told in turns.
inline constexpr std::uint32_t kSnapshotBodiesMax = 16384;

// Datagrams of snapshots to one client in a tick, on average: worlds of more bodies are sent every
// second, third, ... tick.
inline constexpr std::uint32_t kSnapshotPartsPerTick = 64;

// Snapshots that a client keeps: half a second at 60 a second.
inline constexpr std::uint32_t kSnapshotsBuffered = 32;

// --- files ---

// A scene file written by people; larger scenes are built in or binary. Reading JSON takes up to a
// hundred times its size in memory.
inline constexpr std::size_t kSceneTextBytesMax = std::size_t{16} << 20;

// The name of a scene or body: it fits a column. What a scene is about: it fits a line.
inline constexpr std::size_t kNameBytesMax = 64;
inline constexpr std::size_t kAboutBytesMax = 400;

// An encoded scene: a million bodies take about 250 MB; no FlatBuffers are larger than 2 GiB.
inline constexpr std::size_t kSceneBytesMax = (std::size_t{1} << 31) - (std::size_t{1} << 20);

// One record of a session log other than the header.
inline constexpr std::size_t kLogRecordBytesMax = std::size_t{1} << 20;

}  // namespace orrery::limits
