// Implements `orrery replay`: prints the contents of a log, or its states.
#include "common/session/replay/replay.h"

#include <cstdio>
#include <optional>
#include <string_view>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/json.h"
#include "client/cli/log_input.h"
#include "client/cli/log_state.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "common/core/counted.h"
#include "common/core/printable.h"
#include "common/session/replay/playback.h"
#include "common/session/versions.h"

namespace orrery::cli {
namespace {

struct ReplayOptions {
  std::string log;
  std::optional<std::uint64_t> at;
  // First state to show. Needs `to`. If `to` is smaller than `from`, states are shown backwards.
  std::optional<std::uint64_t> from;
  std::optional<std::uint64_t> to;
  std::uint64_t every = 1;
  bool bodies = false;
  bool json = false;
};

int show_header(const ReplayOptions& options, session::LogReader& log,
                const codec::LogHeader& header, const Scene& scene) {
  session::TickRecord record;
  record.hash = header.initial_hash;
  while (log.next(record)) {
  }
  if (log.tail().unreadable) return unusable(log.tail().unreadable->text());
  if (options.json) {
    json::Object result;
    result.add({{"session", json::hex(header.session)},
                {"scene", scene.name},
                {"rules", header.rules},
                {"build", header.build},
                {"tick_rate", scene.tick_rate},
                {"tick_time", tick_time(scene)},
                {"tick", record.tick.value},
                {"hash", json::hash(record.hash)},
                {"closed", log.tail().closed}});
    json::print(add_end(options.log, log.tail(), result).text());
    return log.tail().damaged ? 1 : 0;
  }
  std::printf("session %s\n", json::hex(header.session).c_str());
  std::printf("scene %s, %s, %u Hz\n", scene.name.c_str(),
              counted(scene.bodies.size(), "body", "bodies").c_str(), scene.tick_rate);
  std::printf("recorded by %s, rules %u\n", printable(header.build).c_str(), header.rules);
  if (header.rules != kRulesVersion) {
    std::printf("this build cannot step this session: recorded under %s\n",
                session::other_rules(header.rules).c_str());
  }
  std::printf("%s, hash %s\n", counted(record.tick.value, "tick").c_str(),
              json::hash(record.hash).c_str());
  const std::string tail = describe_end(options.log, log.tail());
  if (!tail.empty()) std::printf("%s\n", tail.c_str());
  return log.tail().damaged ? 1 : 0;
}

// Returns the name of a body in the scene; empty if it has none. Spawned bodies have none.
std::string_view name_of(const World& world, BodyId id) {
  const std::vector<std::string>& names = world.scene().names;
  return id.value < names.size() ? std::string_view(names[id.value]) : std::string_view();
}

json::Text body_json(const World& world, std::uint32_t slot) {
  const Bodies& bodies = world.bodies();
  const BodyId id = body_id(world, slot);
  json::Object body;
  body.add("id", id.value);
  if (const auto name = name_of(world, id); !name.empty()) body.add("name", name);
  return body
      .add({{"position", bodies.position(slot)},
            {"velocity", bodies.velocity(slot)},
            {"orientation", bodies.orientation(slot)},
            {"angular_velocity", bodies.angular_velocity(slot)}})
      .text();
}

std::string join(const Vec3& v) { return decimal(v.x) + ' ' + decimal(v.y) + ' ' + decimal(v.z); }

void print_body(const World& world, std::uint32_t slot) {
  const Quat q = world.bodies().orientation(slot);
  const std::string turn = join({q.x, q.y, q.z}) + ' ' + decimal(q.w);
  const BodyId id = body_id(world, slot);
  std::string name = printable(name_of(world, id));
  if (!name.empty()) name.insert(0, 1, ' ');
  std::printf("body %u%s\n  position %s\n  velocity %s\n  orientation %s\n  angular_velocity %s\n",
              id.value, name.c_str(), join(world.bodies().position(slot)).c_str(),
              join(world.bodies().velocity(slot)).c_str(), turn.c_str(),
              join(world.bodies().angular_velocity(slot)).c_str());
}

json::Text state_json(const World& world, bool bodies) {
  json::Object state;
  state.add({{"tick", world.tick().value}, {"hash", json::hash(world.hash())}});
  if (!bodies) return state.text();
  std::vector<json::Text> items;
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    if (world.bodies().alive(slot)) items.push_back(body_json(world, slot));
  }
  return state.add("bodies", json::array(items)).text();
}

void print_state(const World& world, bool bodies) {
  std::printf("tick %llu, hash %s\n", static_cast<unsigned long long>(world.tick().value),
              json::hash(world.hash()).c_str());
  for (std::uint32_t slot = 0; bodies && slot < world.bodies().slots(); ++slot) {
    if (world.bodies().alive(slot)) print_body(world, slot);
  }
}

int show_state(const ReplayOptions& options, session::Playback& playback) {
  const std::optional<Tick> tick = options.at ? std::optional(Tick{*options.at}) : std::nullopt;
  if (const int exit_code = go_to(playback, options.log, tick, "--at"); exit_code != 0) {
    return exit_code;
  }
  if (options.json) {
    json::print(state_json(playback.world(), options.bodies));
  } else {
    print_state(playback.world(), options.bodies);
  }
  return tick ? 0 : judge_end(options.log, playback.tail());
}

// Shows the states from one tick to another, forwards or backwards.
int show_states(const ReplayOptions& options, session::Playback& playback) {
  const bool forwards = *options.from <= *options.to;
  const std::uint64_t distance =
      forwards ? *options.to - *options.from : *options.from - *options.to;
  // Check that both ticks exist before printing anything.
  int exit_code = go_to(playback, options.log, Tick{*options.to}, "--to");
  if (exit_code == 0) exit_code = go_to(playback, options.log, Tick{*options.from}, "--from");
  if (exit_code != 0) return exit_code;
  if (options.json) std::printf("{\"states\": [");
  for (std::uint64_t gone = 0; gone <= distance; gone += options.every) {
    const Tick tick{forwards ? *options.from + gone : *options.from - gone};
    exit_code = go_to(playback, options.log, tick, "--to");
    if (exit_code != 0) break;
    if (options.json) {
      std::printf("%s%s", gone == 0 ? "" : ", ",
                  state_json(playback.world(), options.bodies).text.c_str());
    } else {
      print_state(playback.world(), options.bodies);
    }
  }
  if (options.json) std::printf("]}\n");
  return exit_code;
}

int replay(const ReplayOptions& options) {
  Result<LogInput> log = open_log(options.log);
  if (!log) return refuse(log.error());
  if (options.at || options.from || options.bodies) {
    const auto playback = session::Playback::open(session::OpenedLog(std::move(log.value())),
                                                  session::OtherRules::by_checkpoints);
    if (!playback) return refuse(playback.error().in(options.log));
    return options.from ? show_states(options, *playback.value())
                        : show_state(options, *playback.value());
  }
  const Result<Scene> scene = session::recorded_scene(log.value().header);
  if (!scene) return refuse(scene.error().in(options.log));
  return show_header(options, *log.value().reader, log.value().header, scene.value());
}

}  // namespace

void add_replay(Verb& program) {
  auto [verb, options] =
      program.add_verb("replay", "Show the contents of a session log, or its state after any tick",
                       "  orrery replay a.orrery\n"
                       "  orrery replay a.orrery --at 300 --bodies\n"
                       "  orrery replay a.orrery --from 600 --to 0 --every 60  # backwards",
                       replay);
  add_log_argument(verb, options.log);
  const Option at =
      verb.option("--at", options.at, "Show the state after this tick").ticks().type("TICK");
  Option from = verb.option("--from", options.from, "Show a range of states, starting at this tick")
                    .ticks()
                    .excludes(at)
                    .type("TICK");
  const Option to =
      verb.option("--to", options.to,
                  "End the range at this tick. If it is before --from, the states are shown "
                  "backwards")
          .ticks()
          .needs(from)
          .type("TICK");
  from.needs(to);
  verb.option("--every", options.every, "Show only every N-th tick of the range")
      .shows_default()
      .ticks(1)
      .needs(from)
      .type("N");
  verb.flag("--bodies", options.bodies,
            "Show every body of a state. Without --at or --from: of the last state");
  add_json(verb, options.json);
}

}  // namespace orrery::cli
