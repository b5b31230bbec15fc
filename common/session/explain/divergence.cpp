// Explains the first tick in which two sessions, or a session and its replay, differ.
#include "common/session/explain/divergence.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/core/fill_in.h"
#include "common/session/explain/cause.h"
#include "common/session/explain/fault.h"
#include "common/world/fault_injector.h"
#include "common/world/image/hash_search.h"
#include "common/world/image/image.h"

namespace orrery::session {
namespace {

// --- States ---

World copy_of(const World& world) {
  std::vector<std::uint8_t> image;
  save_image(world, image);
  World copy(world.scene());
  const bool restored = restore_image(copy, image).ok();
  ORRERY_ASSERT(restored && copy.hash() == world.hash());
  return copy;
}

// Searches for one change that gives `world` the recorded hash: one number, or two bodies swapped.
// Applies it, or returns false if there is none.
bool change_to(World& world, std::uint64_t recorded, Executor& executor) {
  const std::uint64_t wanted = hash_difference(world.hash(), recorded);
  FaultInjector injector(world);
  if (const auto change = find_field_change(world.bodies(), wanted)) {
    injector.state().bodies.set(change->field, change->slot, change->value);
  } else if (const auto pair = find_swap(world.bodies(), wanted)) {
    injector.exchange(pair->a, pair->b);
  } else {
    return false;
  }
  injector.update_hash(executor);
  return world.hash() == recorded;
}

// Returns the state in the image of a checkpoint, or an Error if it is unusable or of another tick
// than `like`.
Result<World> state_in(Bytes image, const World& like) {
  World world = copy_of(like);
  if (const Status restored = restore_image(world, image); !restored) return restored.error();
  if (world.tick() == like.tick()) return world;
  return Error{fill_in("it is of tick {}", {std::to_string(world.tick().value)})};
}

// The state of one side after the tick, as far as it is known.
struct SideState {
  std::optional<World> world;  // nothing: the state is unknown
  std::uint64_t hash = 0;
  Source source = Source::unknown;
  ReplayCheck check;
};

// Finds the state of one side after the tick: in its checkpoint, by stepping, or by a search for
// one change of the stepped state.
// REQUIRES: `before` is the state before the tick.
SideState state_after(const World& before, const TickSide& side, Executor& executor) {
  SideState out;
  World world = copy_of(before);
  const Result<Fault> parsed = parse_fault(side.fault);
  const std::optional<Fault> fault = parsed ? std::optional(parsed.value()) : std::nullopt;
  // The error is ignored: if a deliberate fault (--break) cannot be applied here, it could not be
  // applied when the log was recorded either. The recorder has reported that.
  static_cast<void>(step_with_fault(world, side.commands, fault, executor));
  out.hash = side.hash.value_or(world.hash());
  out.check.gives_hash = world.hash() == out.hash;
  out.check.idle_commands = commands_not_among(side.commands, world.applied()).size();
  const bool stored = !side.image.empty();
  Result<World> recorded = stored ? state_in(side.image, world) : Result<World>(Error{});
  if (stored) out.check.checkpoint_fault = describe_checkpoint(recorded, side.image_hash, out.hash);
  // If stepping gives the recorded hash but the checkpoint holds another state, the checkpoint is
  // the fault: report its state.
  if (recorded && (recorded.value().hash() == out.hash || out.check.gives_hash)) {
    out.source = Source::checkpoint;
    out.world.emplace(std::move(recorded.value()));
    return out;
  }
  if (!out.check.gives_hash && !change_to(world, out.hash, executor)) return out;
  out.source = out.check.gives_hash ? Source::replay : Source::hash;
  out.world.emplace(std::move(world));
  return out;
}

// --- Report ---

// Returns true if a body has another state in a than in b, or exists only in one of them.
bool differs(const StateDifference& state, BodyId body) {
  const auto is_it = [&](const FieldDifference& f) { return f.body == body; };
  return std::any_of(state.fields.begin(), state.fields.end(), is_it) ||
         std::find(state.only_a.begin(), state.only_a.end(), body) != state.only_a.end() ||
         std::find(state.only_b.begin(), state.only_b.end(), body) != state.only_b.end();
}

// Returns the differing body with the lowest slot, if any.
std::optional<BodyId> lowest(const StateDifference& state) {
  std::optional<BodyId> found;
  const auto take = [&](BodyId body) {
    if (!found || slot_of(body) < slot_of(*found)) found = body;
  };
  if (!state.fields.empty()) take(state.fields.front().body);
  if (!state.only_a.empty()) take(state.only_a.front());
  if (!state.only_b.empty()) take(state.only_b.front());
  return found;
}

// Chooses the body and the field that the report names.
void choose_body(const World& before, Divergence& found) {
  ORRERY_ASSERT(found.a && found.b);
  found.body = lowest(found.state);
  for (const CommandDifference& difference : found.command_differences) {
    const std::optional<BodyId> body = target_of(before, difference.command);
    if (!body || !differs(found.state, *body)) continue;
    found.body = body;
    break;
  }
  for (const FieldDifference& field : found.state.fields) {
    if (field.body != found.body) continue;
    found.field = field;
    break;
  }
}

bool is_motion(physics::BodyField field) {
  return field >= physics::BodyField::velocity_x && field <= physics::BodyField::angular_momentum_z;
}

// Returns the first phase that the differences point to. A phase that left no trace in the states
// counts as equal.
std::optional<Phase> phase_of(const Divergence& found) {
  const StateDifference& state = found.state;
  if (!found.command_differences.empty() || state.controls) return Phase::commands;
  if (!state.any()) return {};
  if (state.contact_pairs) return Phase::contacts;
  const bool one_sided = !state.only_a.empty() || !state.only_b.empty();
  if (one_sided) return Phase::commands;
  const auto moves = [](const FieldDifference& f) { return is_motion(f.field); };
  if (std::any_of(state.fields.begin(), state.fields.end(), moves)) {
    const bool touches =
        found.a && found.body && !contacts_of(*found.a, slot_of(*found.body)).empty();
    return touches || state.contacts || state.joints ? Phase::solve : Phase::forces;
  }
  if (state.contacts || state.joints) return Phase::solve;
  return state.fields.empty() ? Phase::sleep : Phase::integrate;
}

// Adds both states to the report as far as they are known, and compares them.
void add_states(const World& before, SideState& of_a, SideState& of_b, Divergence& found) {
  found.hash_a = of_a.hash;
  found.hash_b = of_b.hash;
  found.source_a = of_a.source;
  found.source_b = of_b.source;
  if (of_a.world) found.a.emplace(std::move(*of_a.world));
  if (of_b.world) found.b.emplace(std::move(*of_b.world));
  if (found.a && found.b) {
    found.state = difference(*found.a, *found.b);
    choose_body(before, found);
  } else if (found.hash_a != found.hash_b) {
    found.unknown = fill_in(
        "log {} has only a hash of this state, and no single change to the state that this build "
        "computes gives that hash",
        {found.a ? "b" : "a"});
  }
}

}  // namespace

std::string_view phase_name(Phase phase) {
  constexpr std::array<std::string_view, 6> kNames = {"commands", "contacts",  "forces",
                                                      "solve",    "integrate", "sleep"};
  static_assert(kNames.size() == static_cast<std::size_t>(Phase::sleep) + 1);
  return kNames[static_cast<std::size_t>(phase)];
}

std::string_view cause_name(Cause cause) {
  constexpr std::array<std::string_view, 10> kNames = {"scene",    "rules",  "length",     "break",
                                                       "commands", "swap",   "checkpoint", "number",
                                                       "build",    "machine"};
  static_assert(kNames.size() == static_cast<std::size_t>(Cause::machine) + 1);
  return kNames[static_cast<std::size_t>(cause)];
}

Divergence explain(const World* before, Tick tick, const TickSide& a, const TickSide& b,
                   Executor& executor) {
  ORRERY_ASSERT(!before || before->tick().value + 1 == tick.value);
  Divergence found;
  found.tick = tick;
  found.hash_a = a.hash.value_or(0);
  found.hash_b = b.hash.value_or(0);
  found.commands_a.assign(a.commands.begin(), a.commands.end());
  found.commands_b.assign(b.commands.begin(), b.commands.end());
  found.command_differences = command_differences(a.commands, b.commands);
  SideState of_a = before ? state_after(*before, a, executor) : SideState{};
  SideState of_b = before ? state_after(*before, b, executor) : SideState{};
  if (before) {
    add_states(*before, of_a, of_b, found);
  } else if (tick.value == 0 && found.hash_a != found.hash_b) {
    found.unknown = "there is no state before state 0";
  }
  found.phase = phase_of(found);
  find_cause(a, b, of_a.check, of_b.check, found);
  return found;
}

}  // namespace orrery::session
