// Owns `orrery replay`: what a log is of, or the state after a tick of it.
#include "common/session/replay.h"

#include <cstdio>

#include "client/cli/counted.h"
#include "client/cli/json.h"
#include "client/cli/verbs.h"
#include "common/core/printable.h"
#include "common/host/file.h"
#include "common/host/terminal.h"

namespace orrery {
namespace {

std::string hex(const SessionId& session) {
  std::string out;
  for (const std::uint8_t byte : session) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

int show_header(const ReplayOptions& options, LogReader& log, const LogHeader& header,
                const Scene& scene) {
  TickRecord record;
  record.hash = header.initial_hash;
  while (log.next(record)) {
  }
  if (options.json) {
    const json::Object result = json::Object()
                                    .add("session", json::of(hex(header.session)))
                                    .add("scene", json::of(scene.name))
                                    .add("rules", json::of(header.rules))
                                    .add("build", json::of(header.build))
                                    .add("tick_rate", json::of(scene.tick_rate))
                                    .add("tick_time", json::of(tick_time(scene)))
                                    .add("tick", json::of(record.tick.value))
                                    .add("hash", json::of(json::hash(record.hash)))
                                    .add("closed", json::of(log.tail().closed))
                                    .add("damaged", json::of(log.tail().damaged))
                                    .add("lost_bytes", json::of(log.tail().lost_bytes));
    std::printf("%s\n", result.text().c_str());
    return 0;
  }
  std::printf("session %s\n", hex(header.session).c_str());
  std::printf("scene %s, %s, %u Hz\n", scene.name.c_str(),
              counted(scene.bodies.size(), "body", "bodies").c_str(), scene.tick_rate);
  std::printf("recorded by %s, rules %u\n", printable(header.build).c_str(), header.rules);
  const LogTail& tail = log.tail();
  std::printf("%s, hash %s%s\n", counted(record.tick.value, "tick").c_str(),
              json::hash(record.hash).c_str(),
              tail.damaged  ? ", then damage"
              : tail.closed ? ""
                            : ", then a torn tail");
  return 0;
}

std::string body_json(const World& world, std::uint32_t slot) {
  const Bodies& bodies = world.bodies;
  return json::Object()
      .add("id", json::of(body_id(world, slot).value))
      .add("position", json::of(bodies.position(slot)))
      .add("velocity", json::of(bodies.velocity(slot)))
      .add("orientation", json::of(bodies.orientation(slot)))
      .add("angular_velocity", json::of(bodies.angular_velocity(slot)))
      .text();
}

std::string join(const Vec3& v) {
  return json::of(v.x) + ' ' + json::of(v.y) + ' ' + json::of(v.z);
}

void print_body(const World& world, std::uint32_t slot) {
  const Quat q = world.bodies.orientation(slot);
  const std::string turn = join({q.x, q.y, q.z}) + ' ' + json::of(q.w);
  std::printf("body %u\n  position %s\n  velocity %s\n  orientation %s\n  angular_velocity %s\n",
              body_id(world, slot).value, join(world.bodies.position(slot)).c_str(),
              join(world.bodies.velocity(slot)).c_str(), turn.c_str(),
              join(world.bodies.angular_velocity(slot)).c_str());
}

int show_state(const ReplayOptions& options, const World& world) {
  std::vector<std::string> items;
  if (!options.json) {
    std::printf("tick %llu, hash %s\n", static_cast<unsigned long long>(world.tick.value),
                json::hash(world.hash).c_str());
  }
  for (std::uint32_t slot = 0; options.bodies && slot < world.bodies.slots(); ++slot) {
    if (!world.bodies.alive(slot)) continue;
    if (options.json) {
      items.push_back(body_json(world, slot));
    } else {
      print_body(world, slot);
    }
  }
  if (!options.json) return 0;
  json::Object result;
  result.add("tick", json::of(world.tick.value)).add("hash", json::of(json::hash(world.hash)));
  if (options.bodies) result.add("bodies", json::array(items));
  std::printf("%s\n", result.text().c_str());
  return 0;
}

}  // namespace

int replay(const ReplayOptions& options) {
  const std::string name = printable(options.log) + ": ";
  Result<std::unique_ptr<FileSource>> file = FileSource::open(options.log);
  if (!file) return unusable(file.error().message);
  LogReader log(*file.value());
  const Result<LogHeader> header = log.read_header();
  if (Status status = file.value()->status(); !status) return unusable(status.error().message);
  if (!header) {
    unusable(name + header.error().message);
    return log.tail().damaged ? 1 : 2;
  }
  if (!options.at && !options.bodies) {
    const Result<Scene> scene = recorded_scene(header.value());
    if (!scene) return unusable(name + scene.error().message);
    return show_header(options, log, header.value(), scene.value());
  }
  Result<World> world = initial_world(header.value());
  if (!world) return unusable(name + world.error().message);
  constexpr Tick kEnd{~std::uint64_t{0}};
  const Tick last = options.at ? Tick{*options.at} : kEnd;
  SerialExecutor executor;
  Status status = ok_status();
  {
    ProgressBar progress("replay " + printable(options.log, 40), file.value()->size());
    status = replay_to(log, header.value(), world.value(), executor, last,
                       [&] { progress.show(log.bytes_read()); });
  }
  if (!status) {
    unusable(name + status.error().message);
    return 1;
  }
  if (last != kEnd && world.value().tick < last) {
    return unusable("--at: the log has no tick " + std::to_string(last.value) + "; its last is " +
                    std::to_string(world.value().tick.value));
  }
  return show_state(options, world.value());
}

}  // namespace orrery
