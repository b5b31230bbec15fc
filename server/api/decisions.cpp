// The functions of the C interface that read, change and decide the commands of a tick.
#include "client/api/commands.h"
#include "client/api/structs.h"
#include "server/api/server_handle.h"

namespace orrery::api {
namespace {

// Runs `body(commands)` with the commands of the tick that is due.
std::int32_t in_tick(orrery_server* server, auto body) {
  return guarded(server, [&](orrery_server& s) -> std::int32_t {
    if (s.session->is_due()) return body(s, s.session->commands());
    return fail(s, ORRERY_NOT_READY, "no tick is due: call orrery_server_wait() first");
  });
}

// Reads a command of the caller into `s.command`, without its client and sequence.
std::int32_t read_command(orrery_server& s, const orrery_command* command) {
  const std::int32_t code = check_struct(s, command, "command", true);
  if (code != ORRERY_OK) return code;
  orrery_command own = *command;
  own.size = sizeof own;
  own.client = own.sequence = 0;
  return read_commands(s, &own, 1, s.command);
}

// Returns the code of a change or decision, with a sentence if it was refused.
std::int32_t code_of(orrery_server& s, Verdict verdict, std::uint32_t subject) {
  switch (verdict) {
    case Verdict::applied:
      return ORRERY_OK;
    case Verdict::no_body:
      return fail(s, ORRERY_NOT_FOUND, "there is no body %u", subject);
    case Verdict::no_joint:
      return fail(s, ORRERY_NOT_FOUND, "the scene has no joint %u", subject);
    case Verdict::role:
      return fail(s, ORRERY_BAD_COMMAND,
                  "joins, leaves and disowns follow the connections of clients; rules cannot give "
                  "or change them");
    case Verdict::full:
      return fail(s, ORRERY_BUSY, "the tick has %zu decisions already; the others must wait",
                  server::kReserveMax);
    default:
      return fail(s, ORRERY_BAD_COMMAND, "a number is not finite or out of range");
  }
}

}  // namespace
}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface
using orrery::server::TickCommands;

int32_t orrery_server_commands(orrery_server* server, orrery_command* commands, uint32_t capacity,
                               uint32_t* count) {
  return in_tick(server, [&](orrery_server& s, TickCommands& due) -> int32_t {
    if (count == nullptr) return fail(s, ORRERY_BAD_ARGUMENT, "count is null");
    *count = static_cast<uint32_t>(due.list().size());
    return give_list(s, due.list(), commands, capacity, "command",
                     [&](const orrery::Command& from) { return command_out(s.space, from); });
  });
}

int32_t orrery_server_change(orrery_server* server, uint32_t index, const orrery_command* command) {
  return in_tick(server, [&](orrery_server& s, TickCommands& due) -> int32_t {
    if (index >= due.list().size()) {
      return fail(s, ORRERY_BAD_ARGUMENT, "index is %u, and the tick has %zu commands", index,
                  due.list().size());
    }
    if (command == nullptr) return code_of(s, due.drop(index), 0);
    const int32_t code = read_command(s, command);
    if (code != ORRERY_OK) return code;
    return code_of(s, due.replace(index, s.command.front().payload), command->subject);
  });
}

int32_t orrery_server_command(orrery_server* server, const orrery_command* command,
                              uint64_t* number) {
  return in_tick(server, [&](orrery_server& s, TickCommands& due) -> int32_t {
    int32_t code = read_command(s, command);
    if (code == ORRERY_OK) {
      code = code_of(s, due.decide(s.command.front().payload), command->subject);
    }
    if (code == ORRERY_OK) {
      ++s.decisions;
    } else {
      ++s.refused;
    }
    if (number != nullptr) *number = code == ORRERY_OK ? s.decisions : 0;
    return code;
  });
}
