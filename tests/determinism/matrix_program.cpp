// Prints `scene tick hash` lines. They must be equal for every row of the determinism matrix.
//
//   matrix_program                     all lines of tests/golden/hashes.txt
//   matrix_program --ticks-max N       the same up to tick N
//   matrix_program SCENE TICKS         one hash, as `orrery run SCENE --ticks TICKS` prints it
//   matrix_program --log SCENE TICKS   write the session log of a run under commands to stdout
//
// Names of scenes:
// - "SCENE~METHOD" uses another integrator or rotation method.
// - "+commands" steps the scene under a seeded stream of commands.
// - "+restored" does the same, but half-way it continues from an image in a new world.
// - "+image" is the checksum of that image.
// - "+log" is the checksum of the session log of such a run.
// - "+replayed" is the hash at the end of a replay of that log.
// - "+delta-fast" and "+delta-cheap" are checksums of the bytes of the delta codec for all frames
//   of such a run, at these levels. Each frame is coded against the one six ticks before. The
//   program also decodes them.
// - "+delta-mixed" changes the level every six ticks, so that no baseline has the level of its
//   frame.
//
// The file uses common/ without host/, so that it can be built for any target.
#include "tests/determinism/matrix_program.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "common/codec/delta/world_frame.h"
#include "common/core/float_environment.h"
#include "common/core/hash.h"
#include "common/core/printable.h"
#include "common/math/elementary.h"
#include "common/session/log_reader.h"
#include "common/session/replay/replay.h"
#include "common/session/writer/log_writer.h"
#include "common/world/image/image.h"
#include "common/world/scenes/methods.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/command_stream.h"
#include "tests/support/memory_log.h"

namespace orrery {
namespace {

// The options of one run of the program.
struct Run {
  Executor& executor;
  std::uint64_t ticks_max;
};

struct Row {
  const char* scene;
  std::vector<std::uint64_t> ticks;
};

const Row kScenes[] = {
    {"playground", {0, 1, 100, 1000, 2000}},
    {"solar", {0, 1, 100, 1000, 10000, 100000}},
    {"springs:100", {0, 1, 100, 1000}},
    {"tumble", {0, 1, 100, 1000, 10000, 100000}},
    {"lander", {0, 1, 100, 1000, 10000}},
    {"free:1000", {0, 1, 100, 1000}},
    {"tethers:1000", {0, 1, 100, 1000}},
    {"spheres:600", {0, 1, 100, 300}},
    {"boxes:100", {0, 1, 100, 300}},
    {"crates:40", {0, 1, 100, 300}},
    {"domino", {0, 1, 100, 600}},
    {"bullet", {0, 1, 100, 300}},
    {"mesh:60", {0, 1, 100, 300}},
    {"jumble:80", {0, 1, 100, 300}},
    {"chain", {0, 1, 100, 300}},
    {"ragdolls:9", {0, 1, 100, 300}},
    {"cubes", {0, 1, 100, 300, 600}},
    {"pyramid", {0, 1, 20}},
    {"dice:20", {0, 1, 100, 300}},
    {"pencils:12", {0, 1, 100, 300}},
    {"cradle", {0, 1, 100, 300, 600}},
    {"pinball", {0, 1, 100, 300, 600}},
};

// Scenes for methods that the scenes above do not use. Springs move bodies without rotating them,
// tethers move and rotate them, and the playground has several forces.
const Row kMethods[] = {
    {"springs:100~explicit-euler", {100, 1000}},
    {"springs:100~semi-implicit-euler", {100, 1000}},
    {"springs:100~semi-implicit-euler-x-first", {100, 1000}},
    {"springs:100~velocity-verlet", {100, 1000}},
    {"springs:100~leapfrog-kdk", {100, 1000}},
    {"tethers:100~tcv-full", {100, 1000}},
    {"springs:100~pefrl", {100, 1000}},
    {"springs:100~yoshida4", {100, 1000}},
    {"springs:100~rk4", {100, 1000}},
    {"springs:100~backward-euler", {100, 1000}},
    {"tethers:100~kinematic", {100, 1000}},
    {"tethers:100~kinematic-average", {100, 1000}},
    {"playground~rk4", {100}},
    {"playground~kinematic", {100, 1000}},
    {"tumble~explicit", {100, 1000}},
    {"tumble~dropped", {100, 1000}},
    {"tumble~momentum", {100, 1000}},
    {"tumble~implicit-gyro", {100, 1000}},
    {"tumble~implicit-gyro-midpoint", {100, 1000}},
};

const Row kCommanded[] = {
    {"playground", {100, 1000, 2000}},
    {"solar", {100, 1000}},
    {"springs:100", {100, 1000}},
    {"lander", {100, 1000}},
    {"tethers:1000", {100, 1000}},
    {"playground~kinematic", {100, 1000}},
    {"playground~rk4", {100}},
    {"spheres:600", {100, 300}},
    {"boxes:100", {100, 300}},
    {"crates:40", {100, 300}},
    {"bullet", {100}},
    {"mesh:60", {100, 300}},
    {"jumble:80", {100, 300}},
    {"chain", {100, 300}},
    {"ragdolls:9", {100, 300}},
    {"cubes", {100, 300}},
};

[[noreturn]] void fail(const Error& error) {
  std::fprintf(stderr, "matrix_program: %s\n", error.message.c_str());
  std::exit(2);
}

// Parses "springs:100~rk4" (another integrator) and "tumble~dropped" (another rotation method).
// Collision is turned off for another integrator, because contacts support only one.
Scene scene_of(const std::string& spec) {
  const std::size_t mark = spec.find('~');
  Result<Scene> scene = built_in_scene(std::string_view(spec).substr(0, mark));
  if (!scene) fail(Error{printable(spec) + ": " + scene.error().text()});
  if (mark == std::string::npos) return scene.value();
  const std::string_view method = std::string_view(spec).substr(mark + 1);
  const Result<Integrator> integrator = find_integrator(method);
  const Result<physics::Rotation> rotation = find_rotation(method);
  if (!integrator && !rotation) fail(Error{printable(spec) + ": " + integrator.error().text()});
  if (integrator) {
    scene.value().integrator = integrator.value();
    scene.value().shapes.clear();
    for (BodyDef& body : scene.value().bodies) body.shape = physics::kNoShape;
  }
  if (!integrator) scene.value().rotation = rotation.value();
  const Status status = validate(scene.value());
  if (!status) fail(Error{printable(spec) + ": " + status.error().text()});
  return scene.value();
}

void print(const char* scene, const char* variant, std::uint64_t tick, std::uint64_t hash) {
  std::printf("%s%s %" PRIu64 " 0x%016" PRIx64 "\n", scene, variant, tick, hash);
}

void step_to(World& world, std::uint64_t tick, CommandStream* stream, Executor& executor) {
  while (world.tick().value < tick) {
    const std::span<const Command> commands =
        stream ? stream->next(world) : std::span<const Command>{};
    step(world, commands, executor);
  }
}

void run_plain(const Row& row, const Run& run) {
  World world(scene_of(row.scene));
  for (const std::uint64_t tick : row.ticks) {
    if (tick > run.ticks_max) return;
    step_to(world, tick, nullptr, run.executor);
    print(row.scene, "", tick, world.hash());
  }
}

void run_commanded(const Row& row, const Run& run) {
  World world(scene_of(row.scene));
  CommandStream stream(2026);
  for (const std::uint64_t tick : row.ticks) {
    if (tick > run.ticks_max) return;
    step_to(world, tick, &stream, run.executor);
    print(row.scene, "+commands", tick, world.hash());
  }
}

// Saves the world half-way and continues in a new world made from the scene and the image.
void run_restored(const Row& row, const Run& run) {
  const std::uint64_t last = row.ticks.back();
  if (last / 2 > run.ticks_max) return;
  World world(scene_of(row.scene));
  CommandStream stream(2026);
  step_to(world, last / 2, &stream, run.executor);
  std::vector<std::uint8_t> image;
  save_image(world, image);
  print(row.scene, "+image", last / 2, checksum(image));
  if (last > run.ticks_max) return;
  World other(scene_of(row.scene));
  const Status restored = restore_image(other, image);
  if (!restored) fail(restored.error());
  step_to(other, last, &stream, run.executor);
  print(row.scene, "+restored", last, other.hash());
}

// Returns the session log of a run under commands.
std::vector<std::uint8_t> record(const char* spec, std::uint64_t ticks, Executor& executor) {
  World world(scene_of(spec));
  CommandStream stream(2026);
  test::MemorySink sink;
  session::SessionLog log(sink, session::make_log_header(world, "matrix", codec::SessionId{}));
  while (world.tick().value < ticks) {
    step(world, stream.next(world), executor);
    log.append_tick(world);
  }
  log.close();
  return sink.bytes;
}

// Prints the checksum of the log, which is the same on every machine, and the hash at the end of
// its replay.
void run_logged(const char* spec, std::uint64_t ticks, const Run& run) {
  if (ticks > run.ticks_max) return;
  const std::vector<std::uint8_t> log = record(spec, ticks, run.executor);
  print(spec, "+log", ticks, checksum(log));
  test::MemorySource source(log);
  session::LogReader reader(source);
  const Result<codec::LogHeader> header = reader.read_header();
  if (!header) fail(header.error());
  Result<World> replayed = session::initial_world(header.value());
  if (!replayed) fail(replayed.error());
  const session::Verification found =
      session::verify(reader, header.value(), replayed.value(), run.executor, [] {});
  print(spec, "+replayed", found.verified, replayed.value().hash());
}

// The levels at which a run is coded, in the order of codec::DeltaLevel. With `mixed`, the level
// changes every kDistance ticks.
enum class Levels : std::uint8_t { cheap, fast, mixed };

// Codes every frame of a run under commands, and decodes it. Prints the checksum of the bytes.
void run_delta(const char* spec, std::uint64_t ticks, Levels levels, const Run& run) {
  if (ticks > run.ticks_max) return;
  constexpr std::size_t kDistance = 6;
  World world(scene_of(spec));
  CommandStream stream(2026);
  const codec::DeltaScene scene = codec::delta_scene_of(world.scene());
  codec::DeltaCodec encoder(scene, {});
  codec::DeltaCodec decoder(scene, {});
  std::vector<codec::CodedFrame> sent(2 * kDistance), received(2 * kDistance);
  codec::QuantisedFrame frame;
  std::vector<std::uint32_t> references;
  std::vector<std::uint8_t> bytes;
  std::uint64_t hash = 0;
  for (std::uint64_t tick = 1; tick <= ticks; ++tick) {
    step_to(world, tick, &stream, run.executor);
    codec::quantise(world, scene.grid, frame);
    codec::find_references(world, references);
    const std::size_t from = (tick + kDistance) % sent.size(), to = tick % sent.size();
    const auto level = static_cast<codec::DeltaLevel>(
        levels == Levels::mixed ? tick / kDistance % 2 : static_cast<std::uint64_t>(levels));
    encoder.set_level(level);
    decoder.set_level(level);
    bytes.clear();
    encoder.encode(sent[from], frame, references, sent[to], bytes);
    if (!decoder.decode(received[from], frame.tick, bytes, received[to]) ||
        received[to].frame.bodies != frame.bodies || received[to].checksum != sent[to].checksum) {
      fail(Error{std::string(spec) + ": a frame changed by coding"});
    }
    hash = checksum(bytes, hash);
  }
  constexpr const char* kNames[] = {"+delta-cheap", "+delta-fast", "+delta-mixed"};
  print(spec, kNames[static_cast<std::size_t>(levels)], ticks, hash);
}

// Prints one hash of the results of each function (exp, sin and cos), to detect the use of another
// library.
void run_elementary() {
  std::uint64_t exp = 0;
  std::uint64_t sin = 0;
  std::uint64_t cos = 0;
  const std::uint64_t count = 100000;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double x = -40 + 80 * static_cast<double>(i) / static_cast<double>(count);
    exp = mix64(exp + std::bit_cast<std::uint64_t>(elementary::exp(x)));
    sin = mix64(sin + std::bit_cast<std::uint64_t>(elementary::sin(x)));
    cos = mix64(cos + std::bit_cast<std::uint64_t>(elementary::cos(x)));
  }
  print("exp", "", count, exp);
  print("sin", "", count, sin);
  print("cos", "", count, cos);
}

void run_all(const Run& run) {
  run_elementary();
  for (const Row& row : kScenes) run_plain(row, run);
  for (const Row& row : kMethods) run_plain(row, run);
  for (const Row& row : kCommanded) run_commanded(row, run);
  for (const Row& row : kCommanded) run_restored(row, run);
  for (const std::uint64_t ticks : {100, 600}) run_logged("playground", ticks, run);
  using enum Levels;
  run_delta("playground", 300, fast, run);
  run_delta("ragdolls:9", 100, fast, run);
  run_delta("crates:40", 100, fast, run);
  run_delta("cubes", 150, fast, run);
  run_delta("playground", 300, cheap, run);
  run_delta("cubes", 150, cheap, run);
  run_delta("playground", 300, mixed, run);
}

void run_one(const char* spec, std::uint64_t ticks, Executor& executor) {
  World world(scene_of(spec));
  step_to(world, ticks, nullptr, executor);
  print(spec, "", ticks, world.hash());
}

void write_log(const char* spec, std::uint64_t ticks, Executor& executor) {
  const std::vector<std::uint8_t> log = record(spec, ticks, executor);
  std::fwrite(log.data(), 1, log.size(), stdout);
}

}  // namespace

int run_matrix(int count, char** arguments, Executor& executor) {
  const bool log = count == 4 && std::strcmp(arguments[1], "--log") == 0;
  if (count != 1 && count != 3 && !log) {
    std::fprintf(stderr, "usage: matrix_program [--ticks-max N | [--log] SCENE TICKS]\n");
    return 2;
  }
  const char* const last = arguments[count - 1];
  const std::uint64_t number = count > 1 ? std::strtoull(last, nullptr, 10) : UINT64_MAX;
  const bool one = count == 3 && std::strcmp(arguments[1], "--ticks-max") != 0;
  if (log) {
    write_log(arguments[2], number, executor);
  } else if (one) {
    run_one(arguments[1], number, executor);
  } else {
    run_all({executor, number});
  }
  // Warn only at the end, because the negative controls of the matrix run this program with unsound
  // arithmetic on purpose.
  if (float_environment_is_sound()) return 0;
  std::fprintf(stderr, "matrix_program: this machine does not round as IEEE 754 says\n");
  return 1;
}

}  // namespace orrery
