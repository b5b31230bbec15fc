// Finds the most likely cause of a divergence, and states it in a sentence.
#include "common/session/explain/cause.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "common/core/counted.h"
#include "common/core/fill_in.h"
#include "common/core/printable.h"
#include "common/math/ulps.h"
#include "common/session/explain/fault.h"

namespace orrery::session {
namespace {

void conclude(Divergence& found, Cause cause, std::string why) {
  ORRERY_ASSERT(!why.empty());
  found.cause = cause;
  found.why = std::move(why);
}

// Returns true if this side was recorded with a deliberate fault in this tick, and its state is
// known from a checkpoint or by stepping with that fault.
bool is_broken(const TickSide& side, Source source, Tick tick) {
  const Result<Fault> fault = parse_fault(side.fault);
  return source <= Source::replay && fault && fault.value().tick == tick;
}

// Returns the two bodies that differ, if exactly two do and each has the other's state.
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

bool is_one_number(const StateDifference& state) {
  return state.fields.size() == 1 && state.bodies == 1 && state.parts().size() == 1;
}

std::string describe_number(const FieldDifference& field) {
  const std::uint64_t bits =
      std::bit_cast<std::uint64_t>(field.a) ^ std::bit_cast<std::uint64_t>(field.b);
  ORRERY_ASSERT(bits != 0);
  return "one number of one body differs by " + counted(ulps_between(field.a, field.b), "ulp") +
         (std::has_single_bit(bits) ? ", in one bit" : "") +
         ", and nothing else differs. No rule of the simulation does that. Failing memory, a stray "
         "write or an edited log does";
}

std::string describe_commands(const std::vector<CommandDifference>& differences) {
  ORRERY_ASSERT(!differences.empty());
  const auto is_in_a = [](const CommandDifference& d) { return d.in_a; };
  const bool all_in_a = std::all_of(differences.begin(), differences.end(), is_in_a);
  const bool all_in_b = std::none_of(differences.begin(), differences.end(), is_in_a);
  if (!all_in_a && !all_in_b) return "the commands of the tick differ";
  if (differences.size() == 1) {
    return all_in_a ? "b lacks a command of a" : "a lacks a command of b";
  }
  return fill_in(all_in_a ? "b lacks {} commands of a" : "a lacks {} commands of b",
                 {std::to_string(differences.size())});
}

void explain_commands(const ReplayCheck& of_a, const ReplayCheck& of_b, Divergence& found) {
  ORRERY_ASSERT(!found.command_differences.empty());
  std::string why = describe_commands(found.command_differences);
  if (found.hash_a == found.hash_b && of_a.gives_hash == of_b.gives_hash) {
    why += ", but the hashes are equal";
  } else if (found.hash_a == found.hash_b) {
    const char* const changed = of_a.gives_hash ? "b" : "a";
    why = fill_in(
        "{}, but the hashes are equal. The commands of {} lead to another hash: log {} was changed "
        "after it was recorded",
        {why, changed, changed});
  }
  conclude(found, Cause::commands, std::move(why));
}

// Sets the cause to a checkpoint. REQUIRES: hashes and commands are equal, so that only a
// checkpoint of the tick can differ.
void explain_checkpoint(const std::string& fault_a, const std::string& fault_b, Divergence& found) {
  ORRERY_ASSERT(found.hash_a == found.hash_b && found.command_differences.empty());
  found.phase.reset();
  const char* const how = " (the log was edited, or memory failed when it was recorded)";
  const std::string in = "the checkpoint of the tick in ";
  std::string why = "hashes and commands are equal, but a checkpoint of the tick differs";
  if (!fault_a.empty() && !fault_b.empty()) {
    why = in + "a " + fault_a + ", and that in b " + fault_b + how;
  } else if (!fault_a.empty()) {
    why = in + "a " + fault_a + how;
  } else if (!fault_b.empty()) {
    why = in + "b " + fault_b + how;
  }
  conclude(found, Cause::checkpoint, std::move(why));
}

// Sets the cause and returns true if the states show it: two bodies swapped, or one number changed.
bool explain_states(Divergence& found) {
  if (!found.a || !found.b) return false;
  if (const auto pair = swapped(found)) {
    conclude(found, Cause::swap,
             fill_in("bodies {} and {} have each other's state",
                     {std::to_string(pair->first.value), std::to_string(pair->second.value)}));
    return true;
  }
  if (!is_one_number(found.state)) return false;
  conclude(found, Cause::number, describe_number(found.state.fields.front()));
  return true;
}

}  // namespace

std::string describe_checkpoint(const Result<World>& state, std::uint64_t stored_hash,
                                std::uint64_t recorded_hash) {
  if (!state) return fill_in("cannot be read: {}", {state.error().text()});
  if (state.value().hash() != recorded_hash)
    return "holds another state than the hash of that tick says";
  return stored_hash == recorded_hash ? "" : "has another hash than that tick";
}

void find_cause(const TickSide& a, const TickSide& b, const ReplayCheck& of_a,
                const ReplayCheck& of_b, Divergence& found) {
  ORRERY_ASSERT(found.a.has_value() == (found.source_a != Source::unknown));
  ORRERY_ASSERT(found.b.has_value() == (found.source_b != Source::unknown));
  const bool equal = found.hash_a == found.hash_b && found.command_differences.empty();
  const bool has_idle_commands = of_a.idle_commands + of_b.idle_commands > 0;
  const bool replay_takes_less = !b.hash && has_idle_commands;
  if (equal && !replay_takes_less) {
    return explain_checkpoint(of_a.checkpoint_fault, of_b.checkpoint_fault, found);
  }
  if (is_broken(a, found.source_a, found.tick)) {
    return conclude(found, Cause::fault,
                    fill_in("{} was recorded with --break {}", {"a", printable(a.fault)}));
  }
  if (is_broken(b, found.source_b, found.tick)) {
    return conclude(found, Cause::fault,
                    fill_in("{} was recorded with --break {}", {"b", printable(b.fault)}));
  }
  if (!found.command_differences.empty()) return explain_commands(of_a, of_b, found);
  if (has_idle_commands)
    return conclude(found, Cause::commands,
                    "the log has commands that change nothing here: they were applied to another "
                    "state, or added to the log later");
  if (explain_states(found)) return;
  if (a.build != b.build) {
    return conclude(found, Cause::build,
                    fill_in("two builds: {}, and {}; compare the compiler flags (-ffast-math, "
                            "-ffp-contract) and the libraries, and check whether a log was changed",
                            {printable(a.build), printable(b.build)}));
  }
  conclude(found, Cause::machine,
           "commands or a hash were changed after they were recorded, or a machine computes "
           "differently. Causes are its floating-point environment (rounding, flush to zero), a "
           "race of threads, failing memory, or a changed program with the same build name");
}

}  // namespace orrery::session
