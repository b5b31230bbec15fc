// Explains the first tick in which two sessions, or a session and its replay, differ.
#include "common/session/explain/divergence.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <type_traits>
#include <utility>
#include <variant>

#include "common/codec/command_codec.h"
#include "common/core/fill_in.h"
#include "common/core/printable.h"
#include "common/math/ulps.h"
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

// Applies the one change to `world` that gives it the recorded hash. Returns false if there is
// none.
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
  return Error{"it is of tick " + std::to_string(world.tick().value)};
}

// Compares a checkpoint with the recorded hash of its tick. Returns an empty text if they agree.
std::string fault_of_checkpoint(const Result<World>& state, std::uint64_t beside,
                                std::uint64_t recorded) {
  if (!state) return fill_in("cannot be read: {}", {state.error().message});
  if (state.value().hash() != recorded)
    return "holds another state than the hash of that tick says";
  return beside == recorded ? "" : "has another hash than that tick";
}

// The state of one side after the tick, as far as it is known.
struct SideState {
  std::optional<World> world;  // nothing: the state is unknown
  std::uint64_t hash = 0;
  Source source = Source::unknown;
  bool follows = false;       // stepping with the recorded commands gives the hash
  std::vector<Command> idle;  // recorded commands without effect
  std::string checkpoint;     // fault of the tick's checkpoint; empty: none
};

std::vector<Command> not_among(std::span<const Command> commands, std::span<const Command> others) {
  ORRERY_ASSERT(std::is_sorted(commands.begin(), commands.end(), comes_before));
  std::vector<Command> rest;
  std::set_difference(commands.begin(), commands.end(), others.begin(), others.end(),
                      std::back_inserter(rest), comes_before);
  return rest;
}

SideState outcome_of(const World& before, const TickSide& account, Executor& executor) {
  SideState out;
  World world = copy_of(before);
  const Result<Fault> parsed = parse_fault(account.fault);
  const std::optional<Fault> fault = parsed ? std::optional(parsed.value()) : std::nullopt;
  // The error is ignored: if the planted fault (--break) could not be applied, the recording has
  // reported that, and it changed nothing there either.
  static_cast<void>(step_with_fault(world, account.commands, fault, executor));
  out.hash = account.hash.value_or(world.hash());
  out.follows = world.hash() == out.hash;
  out.idle = not_among(account.commands, world.applied());
  const bool stored = !account.image.empty();
  Result<World> recorded = stored ? state_in(account.image, world) : Result<World>(Error{});
  if (stored) out.checkpoint = fault_of_checkpoint(recorded, account.image_hash, out.hash);
  // If stepping gives the recorded hash, a wrong checkpoint is the thing to show.
  if (recorded && (recorded.value().hash() == out.hash || out.follows)) {
    out.source = Source::checkpoint;
    out.world.emplace(std::move(recorded.value()));
    return out;
  }
  if (!out.follows && !change_to(world, out.hash, executor)) return out;
  out.source = out.follows ? Source::replay : Source::hash;
  out.world.emplace(std::move(world));
  return out;
}

// --- Commands ---

// REQUIRES: both are sorted by comes_before().
std::vector<CommandDifference> differences(std::span<const Command> a, std::span<const Command> b) {
  ORRERY_ASSERT(std::is_sorted(a.begin(), a.end(), comes_before));
  ORRERY_ASSERT(std::is_sorted(b.begin(), b.end(), comes_before));
  std::vector<CommandDifference> found;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < a.size() || k < b.size()) {
    const bool takes_a = k == b.size() || (i < a.size() && !comes_before(b[k], a[i]));
    const bool takes_b = i == a.size() || (k < b.size() && !comes_before(a[i], b[k]));
    if (!takes_a || !takes_b || !codec::encodes_equally(a[i], b[k])) {
      if (takes_a) found.push_back({a[i], true});
      if (takes_b) found.push_back({b[k], false});
    }
    i += takes_a ? 1 : 0;
    k += takes_b ? 1 : 0;
  }
  return found;
}

// Returns the body that a command acts on, if any.
std::optional<BodyId> body_of(const World& before, const Command& command) {
  const auto held = [&]() -> std::optional<BodyId> {
    for (const Client& client : before.controls().clients) {
      if (client.id == command.client && client.grabbing) return client.grabbed;
    }
    return {};
  };
  return std::visit(
      [&](const auto& payload) -> std::optional<BodyId> {
        if constexpr (requires { payload.body; }) return payload.body;
        using Payload = std::decay_t<decltype(payload)>;
        constexpr bool holds =
            std::is_same_v<Payload, command::Move> || std::is_same_v<Payload, command::Release>;
        if constexpr (holds) return held();
        return {};
      },
      command.payload);
}

// --- Cause ---

bool differs(const StateDifference& state, BodyId body) {
  const auto is_it = [&](const FieldDifference& f) { return f.body == body; };
  return std::any_of(state.fields.begin(), state.fields.end(), is_it) ||
         std::find(state.only_a.begin(), state.only_a.end(), body) != state.only_a.end() ||
         std::find(state.only_b.begin(), state.only_b.end(), body) != state.only_b.end();
}

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

void choose_body(const World& before, Divergence& found) {
  found.body = lowest(found.state);
  for (const CommandDifference& difference : found.command_differences) {
    const std::optional<BodyId> body = body_of(before, difference.command);
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

// Tests the phases in their order. A phase that left no trace counts as equal.
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

// Returns two bodies that have each other's state, if no other body differs.
std::optional<std::pair<BodyId, BodyId>> swapped(const Divergence& found) {
  ORRERY_ASSERT(found.a && found.b);
  const StateDifference& state = found.state;
  if (state.bodies != 2 || state.fields.empty()) return {};
  const BodyId first = state.fields.front().body;
  const BodyId second = state.fields.back().body;
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    const auto field = static_cast<physics::BodyField>(f);
    const auto at = [&](const World& world, BodyId body) {
      return std::bit_cast<std::uint64_t>(world.bodies().at(field, slot_of(body)));
    };
    if (at(*found.a, first) != at(*found.b, second)) return {};
    if (at(*found.a, second) != at(*found.b, first)) return {};
  }
  return std::pair(first, second);
}

std::string text(BodyId body) { return std::to_string(body.value); }

bool one_number(const StateDifference& state) {
  return state.fields.size() == 1 && state.bodies == 1 && state.parts().size() == 1;
}

void say(Divergence& found, Cause cause, std::string why) {
  found.cause = cause;
  found.why = std::move(why);
}

void explain_number(Divergence& found) {
  ORRERY_ASSERT(found.field.has_value());
  const FieldDifference& field = *found.field;
  const std::uint64_t ulps = ulps_between(field.a, field.b);
  const std::uint64_t bits =
      std::bit_cast<std::uint64_t>(field.a) ^ std::bit_cast<std::uint64_t>(field.b);
  say(found, Cause::number,
      fill_in("one number of one body differs, by {} {}{}, and nothing else: no rule of the "
              "simulation does that, but memory that fails, a write from elsewhere, or an edited "
              "log does",
              {std::to_string(ulps), ulps == 1 ? "ulp" : "ulps",
               std::has_single_bit(bits) ? ", one bit of it" : ""}));
}

// The effect of the recorded commands when this build steps with them.
struct ReplayEffect {
  std::size_t idle = 0;   // commands without effect
  bool a_follows = true;  // the commands of a give the hash of a
  bool b_follows = true;
  std::string checkpoint_a;  // fault of the tick's checkpoint in a; empty: none
  std::string checkpoint_b;
};

// Returns the part of the explanation for different commands with equal hashes.
std::string about_equal_hashes(const ReplayEffect& steps) {
  if (steps.a_follows == steps.b_follows) return "; the hashes are equal all the same";
  const char* const changed = steps.a_follows ? "b" : "a";
  return fill_in(
      "; the hashes are equal all the same, but the commands of {} lead to another: log {} was "
      "changed after it was recorded",
      {changed, changed});
}

void explain_commands(const ReplayEffect& steps, Divergence& found) {
  ORRERY_ASSERT(!found.command_differences.empty());
  const std::size_t count = found.command_differences.size();
  const auto in_a =
      std::count_if(found.command_differences.begin(), found.command_differences.end(),
                    [](const auto& d) { return d.in_a; });
  const bool all_a = static_cast<std::size_t>(in_a) == count;
  const std::string commands = count == 1 ? "a command" : std::to_string(count) + " commands";
  const std::string why = all_a       ? fill_in("b lacks {} of a", {commands})
                          : in_a == 0 ? fill_in("a lacks {} of b", {commands})
                                      : "the commands of the tick differ";
  const bool equal_hashes = found.hash_a == found.hash_b;
  say(found, Cause::commands, why + (equal_hashes ? about_equal_hashes(steps) : ""));
}

// The states are equal, so the difference is in a checkpoint of the tick.
void explain_equal_hashes(const ReplayEffect& steps, Divergence& found) {
  ORRERY_ASSERT(found.hash_a == found.hash_b && found.command_differences.empty());
  const std::string& in_a = steps.checkpoint_a;
  const std::string& in_b = steps.checkpoint_b;
  found.phase.reset();
  if (in_a.empty() && in_b.empty()) {
    return say(found, Cause::checkpoint,
               "hashes and commands are equal: what differs is a checkpoint of the tick");
  }
  const std::string what = in_b.empty()   ? fill_in("a {}", {in_a})
                           : in_a.empty() ? fill_in("b {}", {in_b})
                                          : fill_in("a {}, and that in b {}", {in_a, in_b});
  say(found, Cause::checkpoint,
      fill_in("the checkpoint of the tick in {} (an edited log, or memory that failed as it was "
              "recorded)",
              {what}));
}

void explain_cause(const TickSide& a, const TickSide& b, const ReplayEffect& steps,
                   Divergence& found) {
  const bool equal = found.hash_a == found.hash_b && found.command_differences.empty();
  const bool replay_takes_less = !b.hash && steps.idle > 0;
  if (equal && !replay_takes_less) return explain_equal_hashes(steps, found);
  const auto happens = [&](const TickSide& account, Source source) {
    const Result<Fault> fault = parse_fault(account.fault);
    return source <= Source::replay && fault && fault.value().tick == found.tick;
  };
  if (happens(a, found.source_a)) {
    return say(found, Cause::fault,
               fill_in("a was recorded with --break {}", {printable(a.fault)}));
  }
  if (happens(b, found.source_b)) {
    return say(found, Cause::fault,
               fill_in("b was recorded with --break {}", {printable(b.fault)}));
  }
  if (!found.command_differences.empty()) return explain_commands(steps, found);
  if (steps.idle > 0) {
    return say(found, Cause::commands,
               "recorded are commands that change nothing here: they were applied to another "
               "state, or added to the log");
  }
  if (found.a && found.b) {
    if (const auto pair = swapped(found)) {
      return say(found, Cause::swap,
                 fill_in("bodies {} and {} have each other's state",
                         {text(pair->first), text(pair->second)}));
    }
    if (one_number(found.state)) return explain_number(found);
  }
  if (a.build != b.build) {
    return say(found, Cause::build,
               fill_in("two builds: {}, and {}; look at compiler flags (-ffast-math, "
                       "-ffp-contract), at the library, and for a log that was changed",
                       {printable(a.build), printable(b.build)}));
  }
  say(found, Cause::machine,
      "commands or a hash were changed after they were recorded, or a machine computes otherwise, "
      "by its floating-point environment (rounding, flush to zero), a race of threads, memory that "
      "fails, or a program that was changed without a name of its own");
}

// Finds both states as far as possible, and compares them.
ReplayEffect explain_states(const World& before, const TickSide& a, const TickSide& b,
                            Executor& executor, Divergence& found) {
  SideState in_a = outcome_of(before, a, executor);
  SideState in_b = outcome_of(before, b, executor);
  found.hash_a = in_a.hash;
  found.hash_b = in_b.hash;
  found.source_a = in_a.source;
  found.source_b = in_b.source;
  if (in_a.world) found.a.emplace(std::move(*in_a.world));
  if (in_b.world) found.b.emplace(std::move(*in_b.world));
  if (found.a && found.b) {
    found.state = difference(*found.a, *found.b);
    choose_body(before, found);
  } else if (found.hash_a != found.hash_b) {
    found.unknown = fill_in(
        "log {} has only a hash of this state, and no single change to the state that this build "
        "computes gives that hash",
        {found.a ? "b" : "a"});
  }
  return {in_a.idle.size() + in_b.idle.size(), in_a.follows, in_b.follows,
          std::move(in_a.checkpoint), std::move(in_b.checkpoint)};
}

}  // namespace

std::string_view phase_name(Phase phase) {
  constexpr std::array<std::string_view, 6> kNames = {"commands", "contacts",  "forces",
                                                      "solve",    "integrate", "sleep"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::string_view cause_name(Cause cause) {
  constexpr std::array<std::string_view, 10> kNames = {"scene",    "rules",  "length",     "break",
                                                       "commands", "swap",   "checkpoint", "number",
                                                       "build",    "machine"};
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
  found.command_differences = differences(a.commands, b.commands);
  const ReplayEffect steps =
      before ? explain_states(*before, a, b, executor, found) : ReplayEffect{};
  found.phase = phase_of(found);
  explain_cause(a, b, steps, found);
  return found;
}

}  // namespace orrery::session
