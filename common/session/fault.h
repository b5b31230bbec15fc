// Owns faults: deliberate breaks of determinism, for demonstrations and for tests of what finds
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/core/executor.h"
#include "common/core/ids.h"
#include "common/core/result.h"
#include "common/physics/bodies.h"
#include "common/world/command.h"
#include "common/world/world.h"

namespace orrery {

struct Fault {
  enum class Kind : std::uint8_t {
    ulp,   // the next number above, in a field of body a
    swap,  // bodies a and b exchange their states
    skip,  // the commands of the tick are left out
  };

  Kind kind = Kind::ulp;
  Tick tick;
  BodyId a{};
  BodyId b{};
  BodyField field{};
};

// "ulp@TICK:BODY.FIELD", "swap@TICK:BODY,BODY", "skip@TICK", with fields named as stored
// (schema/README.md). An Error says what would be right.
Result<Fault> parse_fault(std::string_view text);
std::string to_text(const Fault& fault);

// Gives each of two bodies the other's state; what follows from it is for the caller.
void exchange_states(Bodies& bodies, std::uint32_t a, std::uint32_t b);

// step() of a world in which `fault` happens in its tick: state T is changed when it is complete,
// before anybody sees its hash. An Error if that tick has nothing to break: a body that is not
// there, no commands, a state that no world can have (an anchor that moves); the state is then as
// step() leaves it.
Status step_with_fault(World& world, std::span<const Command> commands,
                       const std::optional<Fault>& fault, Executor& executor);

}  // namespace orrery
