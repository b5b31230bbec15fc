// Breaks determinism on purpose, for demonstrations and for tests of the tools that detect it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/core/executor.h"
#include "common/core/ids.h"
#include "common/core/result.h"
#include "common/physics/body/bodies.h"
#include "common/world/command.h"
#include "common/world/world.h"

namespace orrery::session {

// A deliberate change of one tick of a session.
struct Fault {
  // The kind of a change.
  enum class Kind : std::uint8_t {
    ulp,   // raises a field of body a to the next floating-point number
    swap,  // exchanges the states of bodies a and b
    skip,  // omits the commands of the tick
  };

  Kind kind = Kind::ulp;
  Tick tick;
  BodyId a{};
  BodyId b{};
  physics::BodyField field{};
};

// Returns the field of the state with this name, such as "velocity.x", if there is one.
std::optional<physics::BodyField> find_field(std::string_view name);

// Parses "ulp@TICK:BODY.FIELD", "swap@TICK:BODY,BODY" or "skip@TICK". Section 2 of schema/image.md
// lists the field names. An Error shows the right forms or says what is wrong. to_text() is the
// inverse.
Result<Fault> parse_fault(std::string_view text);
std::string to_text(const Fault& fault);

// Steps a world. If `fault` is of the new tick, applies it: omits the commands, or changes the new
// state and then its hash. In these cases, returns an Error and leaves the state as step() made it:
// - the body does not exist.
// - the tick has no commands to omit.
// - no world can have the changed state, for example an anchor that moves.
Status step_with_fault(World& world, std::span<const Command> commands,
                       const std::optional<Fault>& fault, Executor& executor);

}  // namespace orrery::session
