// Tests server/api/orrery_server.hpp: errors with codes, and a session that an exception leaves to
// resume.
//
//   server_face LOG
#include <cstdio>
#include <cstdlib>

#include "orrery_server.hpp"

namespace {

using orrery::rules::Error;
using orrery::rules::Server;

constexpr std::uint32_t kLog = 37;  // a body of `playground`

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not true: %s\n", what);
  std::exit(1);
}

// Returns the code of the error that `body()` throws, or 0.
template <class Body>
std::int32_t code_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    check(error.what()[0] != '\0', "an error has a reason");
    return error.code;
  }
  return 0;
}

void decide(Server& server) {
  check(code_of([&] { server.step(); }) == ORRERY_NOT_READY, "a step needs a tick that is due");
  check(server.wait() && server.commands().empty(), "no client is there");
  check(code_of([&] { server.change(0, nullptr); }) == ORRERY_BAD_ARGUMENT, "no such command");
  check(code_of([&] { server.motion(99999); }) == ORRERY_NOT_FOUND, "no such body to read");
  check(code_of([&] { server.command({.kind = ORRERY_PLACE, .subject = 99999}); }) ==
            ORRERY_NOT_FOUND,
        "no such body to place");
  check(code_of([&] { server.command({.kind = ORRERY_SET_VALUE, .key = std::string(65, 'k')}); }) ==
            ORRERY_BAD_COMMAND,
        "the key is too long");
  server.command({.kind = ORRERY_PLACE, .subject = kLog, .first = {0, 5, 0}});
  server.command({.kind = ORRERY_SET_VALUE, .key = "hud/a", .text = "1"});
  server.step();
  check(server.applied().size() == 2 && server.values()["hud/a"] == "1", "both are applied");
  check(server.motion(kLog).position[1] > 4.9, "the body is in its place");
  check(server.ids().size() == server.world_info().bodies, "all bodies have an id");
  check(server.info().decisions == 2 && server.body(kLog).parts > 0, "facts");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string log = argv[1];
  check(code_of([] { Server server({"--no-such-option"}); }) == ORRERY_BAD_ARGUMENT, "no option");
  try {
    Server server({"--scene", "playground", "--listen", "127.0.0.1:0", "--log", log});
    decide(server);
    check(code_of([] { Server second({"--scene", "playground"}); }) == ORRERY_BUSY, "a second one");
    throw std::runtime_error("a fault of the rules");
  } catch (const std::runtime_error&) {  // the server is gone, and its session can be resumed
  }
  Server server({"--resume", log, "--listen", "127.0.0.1:0", "--ticks", "20"});
  check(server.world_info().tick == 1 && server.values()["hud/a"] == "1", "the session continues");
  for (; server.wait(); server.step()) continue;
  server.close();
  check(code_of([&] { server.wait(); }) == ORRERY_BAD_HANDLE, "it is closed");
  std::puts("the C++ face does what it says");
}
