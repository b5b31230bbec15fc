// Records sessions with a deliberate fault, and compares them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/session/explain/explanation.h"
#include "common/session/explain/fault.h"
#include "common/world/scenes/scenes.h"
#include "tests/support/session.h"

namespace orrery::test {

// A recorded session, its commands and its bodies.
struct PlantedSession {
  std::vector<std::uint8_t> log;
  std::vector<std::vector<Command>> commands;  // as applied, from tick 1
  std::vector<BodyId> bodies;                  // at the end
};

// Records a session with random commands, or with the commands of `like`. Plants a fault if there
// is one; if `told` is true, the header names it. Returns an empty session if the fault cannot be
// planted.
inline PlantedSession record_planted(const Scene& scene, std::uint64_t seed, int ticks,
                                     const PlantedSession* like = nullptr,
                                     const std::optional<session::Fault>& fault = {},
                                     bool told = false) {
  PlantedSession session;
  MemorySink sink;
  World world(scene);
  SerialExecutor executor;
  CommandStream stream(seed);
  codec::LogHeader header = session::make_log_header(world, "test", {});
  if (told) header.fault = session::to_text(*fault);
  session::SessionLog log(sink, header);
  for (std::size_t i = 0; i < static_cast<std::size_t>(ticks); ++i) {
    const auto commands = like ? std::span<const Command>(like->commands[i]) : stream.next(world);
    if (!session::step_with_fault(world, commands, fault, executor)) return {};
    log.append_tick(world);
    session.commands.push_back(world.applied());
  }
  log.close();
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    if (world.bodies().alive(slot)) session.bodies.push_back(body_id(world, slot));
  }
  session.log = std::move(sink.bytes);
  return session;
}

// Compares two complete logs of one segment each.
inline session::LogComparison compare(Bytes a, Bytes b) {
  const session::OpenedLog log_a = opened(a);
  const session::OpenedLog log_b = opened(b);
  SerialExecutor executor;
  const auto never = [] { return false; };
  return session::compare_logs({log_a, never}, {log_b, never}, executor, [] {});
}

// Returns the first divergence of two sessions, if any.
inline std::optional<session::Divergence> diff(const PlantedSession& a, const PlantedSession& b) {
  session::LogComparison found = compare(a.log, b.log);
  if (!found.found) return {};
  return std::move(found.found->divergence);
}

// Returns one of five built-in scenes with different kinds of bodies.
inline Scene planted_scene(std::uint64_t i) {
  const char* const scenes[] = {"playground", "tethers:30", "chain", "ragdolls:4", "crates:20"};
  return built_in_scene(scenes[i % std::size(scenes)]).value();
}

}  // namespace orrery::test
