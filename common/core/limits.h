// Limits of the system that several parts use, with their units and reasons.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/core/ids.h"

namespace orrery::limits {

// --- world ---

// Bodies in a tile, the block in which bodies are processed. A tile is small enough to stay in the
// L1 cache while a step processes it.
inline constexpr std::uint32_t kTileBodies = 64;

// Bodies in a world, the number of slots that a BodyId can name.
inline constexpr std::uint32_t kBodiesMax = 1u << kSlotBits;

// Ticks of a way of a kinematic body: a day at 1,000 ticks per second. At this number, the squares
// of shares of a way are still exact enough.
inline constexpr std::uint32_t kWayTicksMax = 86'400'000;

// Generations of a slot: the values that the generation bits of a BodyId can hold. After about this
// many reuses of a slot, its body ids repeat.
inline constexpr std::uint32_t kGenerationsMax = 1u << (32 - kSlotBits);

// Springs in a scene, and also tethers in a scene: four for each possible body.
inline constexpr std::uint32_t kSpringsMax = 4 * kBodiesMax;

// Pairs of nearby bodies that the broad phase reports in a tick: 16 for each possible body. A dense
// pile has 6 to 10. The limit applies separately to three kinds of pairs: of two moving bodies, of
// a moving and a fixed body, and of a moving body and a plane.
inline constexpr std::uint32_t kPairsMax = 16 * kBodiesMax;

// Bodies in a world with mutual gravity. Mutual gravity is a sum over all pairs of bodies: about
// two million pairs a substep for 2,048 bodies.
inline constexpr std::uint32_t kGravitatingBodiesMax = 2048;

// Shapes in a scene, and parts in all shapes of a scene together. Every body can thus have a shape
// that no other body uses.
inline constexpr std::uint32_t kShapesMax = kBodiesMax;
inline constexpr std::uint32_t kScenePartsMax = kBodiesMax;

// Points, triangles and heights in all hulls, meshes and height fields of a scene together. A
// terrain of two square kilometres with one height per square metre fits. It needs four height
// fields, because of kTrianglesMax.
inline constexpr std::uint32_t kShapePointsMax = 1u << 21;

// Contacts in a world: four for each possible body. In a pile of balls there are two to three for
// each ball. A contact beyond the limit does not begin.
inline constexpr std::uint32_t kContactsMax = 4 * kBodiesMax;

// Contacts in a world for each slot of its scene. A box among boxes has up to 12 contacts. Hundreds
// of bodies in one place can have more than 64 each, but contacts beyond the limit do not begin.
// Time and memory thus stay proportional to the number of slots.
inline constexpr std::uint32_t kContactsPerBodyMax = 64;

// Queries of the narrow phase in a tick, for each contact that the world has room for. A query
// computes one possible contact of two parts. Beyond the limit only existing contacts are queried.
// A small factor is enough because most parts with overlapping bounding boxes do touch.
inline constexpr std::uint32_t kQueriesPerContactMax = 4;

// Bounding boxes (of bodies, parts and triangles) that all sweeps may test in a tick. A sweep
// searches the path of a fast body for obstacles (physics/sweep/continuous.h). A shape cast counts
// as 64 boxes. Every fast body gets an equal share, but at least kSweepBoxTestsPerBodyMin, enough
// for a bullet that flies through a pile. A body that exceeds its share moves only as far in this
// tick as a body that is just too slow for a sweep.
inline constexpr std::uint32_t kSweepBoxTestsMax = 1u << 23;
inline constexpr std::uint32_t kSweepBoxTestsPerBodyMin = 1u << 12;

// Events reported in a tick; this many take about 5 MB. A collapsing pile of 10,000 bodies produces
// fewer.
inline constexpr std::uint32_t kEventsMax = 1u << 16;

// Joints in a scene: one for every eighth body. A tick with this many welds takes one to four
// seconds on one thread.
inline constexpr std::uint32_t kJointsMax = kBodiesMax / 8;

// Substeps in a tick. The time to compute a tick is proportional to their number.
inline constexpr std::uint32_t kSubstepsMax = 64;

// Ticks per second. A timer cannot keep up with a higher rate.
inline constexpr std::uint32_t kTickRateMax = 1000;

// Scripts (world/script.h) in a scene. Every script may examine every body in every tick.
inline constexpr std::uint32_t kScriptsMax = 64;

// Keys that a scene maps to commands, and the bytes of the label of one.
inline constexpr std::uint32_t kKeysMax = 64;
inline constexpr std::size_t kLabelBytesMax = 24;

// Ticks for which a script keeps one target before it moves to the next.
inline constexpr std::uint32_t kScriptPeriodMax = 1'000'000;

// Bodies with a held thrust or torque (command::Thrust, command::Torque) at one time. Every world
// reserves memory for all of them, so that a tick allocates nothing. A thrust on one more body is
// ignored.
inline constexpr std::uint32_t kThrustsMax = 4096;

// Values of a session (command::SetValue): their number, and the bytes of a key, of a value, and of
// the text of a Message or Tell. All values together have at most 328 kB.
inline constexpr std::uint32_t kValuesMax = 1024;
inline constexpr std::size_t kKeyBytesMax = 64;
inline constexpr std::size_t kValueBytesMax = 256;

// Bounds on the numbers that enter the world, in the units of the scene. They leave room for every
// practical use. They are also small enough that a product of a few such numbers does not overflow
// binary64.
inline constexpr double kLengthMax = 1e12;
inline constexpr double kSpeedMax = 1e9;
inline constexpr double kAngularSpeedMax = 1e6;
// Largest factor of uniform gravity on a body, with either sign.
inline constexpr double kGravityScaleMax = 1e6;
inline constexpr double kMassMin = 1e-12;
inline constexpr double kMassMax = 1e15;
inline constexpr double kInertiaMin = 1e-18;
inline constexpr double kInertiaMax = 1e24;
// Ratio of two principal moments of inertia of a body. Even a very thin needle has a smaller ratio.
// A body that tumbles from one axis to another speeds up by at most this ratio, so its spin cannot
// overflow.
inline constexpr double kInertiaRatioMax = 1e12;
// Maximum of stiffness, damping, drag and the gravitational constant.
inline constexpr double kCoefficientMax = 1e18;
inline constexpr double kAccelerationMax = 1e9;
inline constexpr double kForceMax = 1e24;  // also torques and impulses
inline constexpr double kTickTimeMax = 1e6;
inline constexpr double kTickTimeMin = 1e-9;

// --- shapes ---

// Parts in a shape. A contact key has 11 bits to name a part (physics/contacts/contact_key.h).
inline constexpr std::uint32_t kPartsMax = 1024;

// Pairs of parts of nearby compounds (shapes of several parts) that may be tested in a tick. The
// limit is enough for sixteen pairs of the largest shapes inside each other, or for a pile of
// thousands of ten-part shapes.
inline constexpr std::uint32_t kPartPairsMax = 16 * kPartsMax * kPartsMax;

// Bounds on radii and half extents, on densities, and on friction coefficients. Products of a few
// of these numbers do not overflow binary64.
inline constexpr double kExtentMin = 1e-6;
inline constexpr double kExtentMax = 1e9;
inline constexpr double kDensityMin = 1e-9;
inline constexpr double kDensityMax = 1e12;
inline constexpr double kFrictionMax = 1e3;

// Vertices of a convex hull. A hull with 64 vertices is nearly round, and the number of each of its
// edges fits in a byte.
inline constexpr std::uint32_t kHullVerticesMax = 64;

// Points from which a scene may build one hull. Points inside the hull are dropped.
inline constexpr std::uint32_t kHullPointsMax = 4096;

// Triangles in a mesh or height field. The limit is the capacity of its bounding-volume tree,
// which is of the same type as the tree of bodies.
inline constexpr std::uint32_t kTrianglesMax = kBodiesMax;

// Threads that compute a tick. Few machines have more cores.
inline constexpr std::uint32_t kThreadsMax = 256;

// --- clients and commands ---

// Clients that can be joined at one time. Every world reserves memory for all of them.
inline constexpr std::uint32_t kClientsMax = 1024;

// Commands of one client that may go into a tick, beyond those of its rate and of skipped
// intervals; the rest wait. Commands that the network delayed are thus applied together. At most
// W * rate + kCommandsQueuedMax are applied in any W ticks, so a client keeps its rate on average.
inline constexpr std::uint32_t kCommandsBurst = 8;

// Commands that a scene may let a client give in each tick. The queue of a client holds so many for
// four ticks.
inline constexpr std::uint32_t kCommandRateMax = 16;

// Commands in a tick: the commands of all clients together, and the joins and leaves that the
// server adds.
inline constexpr std::uint32_t kCommandsPerTickMax = 8192;

// Commands of one client that wait in the server's inbox. The limit bounds the inbox's memory. The
// server refuses further commands until there is room, and the client sends them again.
inline constexpr std::uint32_t kCommandsQueuedMax = 64;

// Ticks by which a command may be ahead of the next tick of the server. A command that is further
// ahead is moved to the latest of these ticks.
inline constexpr std::uint64_t kCommandTicksAhead = 120;

// --- time ---

// Ticks that an overloaded server computes in one wake-up to catch up. Beyond that the session runs
// slower than real time.
inline constexpr std::uint32_t kCatchUpTicksMax = 4;

// --- wire ---

// Bytes in a message: a packet has a payload of 1,200 bytes, which begins with a header of 16
// bytes.
inline constexpr std::size_t kMessageBytesMax = 1184;

// Datagrams passed to the operating system in one call. Together they stay below the system's limit
// of 65,507 bytes.
inline constexpr std::size_t kBatchDatagramsMax = 48;

// Maximum number of bytes sent to an address for each byte that came from it, until the address has
// proved that it receives. The ratio is less than 1, so that nobody can use the server to amplify
// an attack on a forged address.
inline constexpr double kAmplificationMax = 0.31;

// Bodies in the largest world for which snapshots contain all bodies. A snapshot of that world
// takes 1,093 datagrams. With kSnapshotPartsPerTick of them a tick, a client gets three snapshots a
// second at 60 Hz. With fewer snapshots a second, a viewer would see no motion. In a larger world
// each client therefore receives a selection of bodies, which changes from tick to tick.
inline constexpr std::uint32_t kSnapshotBodiesMax = 16384;

// Snapshot datagrams to one client a tick, on average. Larger snapshots are sent every second,
// third, ... tick.
inline constexpr std::uint32_t kSnapshotPartsPerTick = 64;

// Snapshots that a client keeps: about half a second at 60 snapshots a second.
inline constexpr std::uint32_t kSnapshotsBuffered = 32;

// --- web ---

// TCP connections of the web side: half of kClientsMax. Together with the files of the log they
// stay below 1,024, the usual limit on open files.
inline constexpr std::size_t kWebConnectionsMax = 512;

// Further connections that may ask for the health of the server only. The oldest of them makes room
// for a new one.
inline constexpr std::size_t kWebHealthPlaces = 32;

// TCP connections from one address that is not loopback. A browser opens six for requests, and a
// page one more for its WebSocket.
inline constexpr std::size_t kWebConnectionsPerAddressMax = 8;

// Bytes of an HTTP request: its header, and its body. Headers of browsers have less than 2 KiB, and
// no route needs a body.
inline constexpr std::size_t kWebHeaderBytesMax = std::size_t{8} << 10;
inline constexpr std::size_t kWebBodyBytesMax = std::size_t{1} << 10;

// Seconds in which the first request of a connection must arrive complete. A slow sender thus holds
// a connection for a short time only. A connection that closes has the same time to end.
inline constexpr std::uint32_t kWebRequestSeconds = 5;

// Seconds after which an idle connection is closed. It is idle if no further request or message of
// a WebSocket arrives, or if bytes wait and the other side takes none. Clients send at least ten
// messages a second.
inline constexpr std::uint32_t kWebIdleSeconds = 10;

// Messages of a WebSocket that wait for the next poll of the server. A client sends one a tick;
// the limit leaves room for a pause of a quarter second at 60 ticks a second.
inline constexpr std::size_t kWebMessagesWaitingMax = 16;

// Bytes that wait for a WebSocket. The largest snapshot has 1.34 MB, and its first packet is queued
// only when nothing else waits. A packet that would exceed the limit is dropped, as a network drops
// datagrams.
inline constexpr std::size_t kWebQueueBytesMax = std::size_t{2} << 20;

// Processor time that the web side may use in each millisecond, in nanoseconds. It is 6 % of a
// core, 0.02 % more for each connection, and 0.04 % more for each WebSocket with a client. So 64
// connections take less than a tenth of a core, and 512 clients can each send a message in each of
// 60 ticks a second.
inline constexpr std::uint64_t kWebWorkPerMillisecond = 60'000;
inline constexpr std::uint64_t kWebConnectionWorkPerMillisecond = 200;
inline constexpr std::uint64_t kWebClientWorkPerMillisecond = 400;

// Processor time, in nanoseconds, that the web side may use at once after a pause. It is short
// against a tick, and enough to send a page.
inline constexpr std::uint64_t kWebWorkBurst = 500'000;

// Bytes of a connection that wait in the kernel to be read. It allows twice as many, and up to 6 MB
// without this limit.
inline constexpr int kWebReceiveBytes = 32 << 10;

// Bytes that the server reads, and forgets, after it has ended a connection.
inline constexpr std::size_t kWebDrainBytesMax = std::size_t{256} << 10;

// Connect requests on a WebSocket before it has a client. A client sends ten a second, and the
// server answers with its next poll.
inline constexpr int kWebConnectRequestsMax = 20;

// Downloads of the session log at one time. A page reads one.
inline constexpr int kWebLogReadersMax = 8;

// Bytes of the log in one write.
inline constexpr std::size_t kWebChunkBytes = std::size_t{64} << 10;

// Bytes that the reader of a response must take each second, after the first kWebIdleSeconds: as
// many as a telephone line carries. The server closes the connection of a slower reader.
inline constexpr std::size_t kWebReaderBytesPerSecond = std::size_t{4} << 10;

// Files of the page, and bytes of all of them together. The server keeps them in memory. The page
// is meant to have less than 1 MB.
inline constexpr std::size_t kWebFilesMax = 256;
inline constexpr std::size_t kWebFileBytesMax = std::size_t{32} << 20;

// --- files ---

// Bytes of a scene file in JSON. Parsing takes up to a hundred times as much memory. Larger scenes
// must be built-in scenes, or files in the binary format.
inline constexpr std::size_t kSceneTextBytesMax = std::size_t{16} << 20;

// Bytes in the name of a scene or body, and in the description of a scene. A name fits in a table
// column.
inline constexpr std::size_t kNameBytesMax = 64;
inline constexpr std::size_t kDescriptionBytesMax = 400;

// Bytes of an encoded scene. A FlatBuffer cannot be larger than 2 GiB; a million bodies take about
// 250 MB.
inline constexpr std::size_t kSceneBytesMax = (std::size_t{1} << 31) - (std::size_t{1} << 20);

// Bytes of a record in a session log. Headers contain a scene and checkpoints contain an image, so
// both have larger limits (session/log_format.h).
inline constexpr std::size_t kLogRecordBytesMax = std::size_t{1} << 22;

}  // namespace orrery::limits
