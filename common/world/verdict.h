// Defines the result of a command: applied, without effect, or the reason why it was refused.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/core/ids.h"

namespace orrery {

// The result of a command. Every value after `unchanged` is a refusal. The values are those of the
// wire, so append new ones and never reorder them.
enum class Verdict : std::uint8_t {
  applied,
  unchanged,      // allowed, but there was nothing to change
  malformed,      // a number is not finite or out of range; step() never gets such a command
  not_joined,     // the client has not joined
  role,           // the role of the client does not allow the command
  no_body,        // the body, or the body to copy, does not exist
  fixed,          // the body is an anchor or kinematic
  not_yours,      // the scene does not let the client command the body
  too_strong,     // beyond the limits of the scene, which refuses such commands
  full,           // no room for a further body, held thrust or value
  no_grab,        // the client grabs no body
  unavailable,    // the scene does not have this parameter, or not this value
  not_kinematic,  // the command is for kinematic bodies
  no_joint,       // the joint does not exist, is broken, or leaves no motion free
  no_client,      // the client that the command names has not joined
};
inline constexpr std::size_t kVerdicts = 15;

// Returns true if a command with this result was refused.
constexpr bool is_refusal(Verdict verdict) { return verdict > Verdict::unchanged; }

// A command that was refused.
struct RefusedCommand {
  ClientId client;
  Sequence sequence;
  Verdict reason = Verdict::malformed;
};

}  // namespace orrery
