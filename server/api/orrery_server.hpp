// The server of Orrery as a library, for C++20: orrery_server.h with RAII, exceptions and vectors.
//
//   orrery::rules::Server server({argv + 1, argv + argc});  // the options of orreryd
//   while (server.wait()) {
//     ...  // read the world, its events and the commands that are due, and decide
//     server.step();
//   }
//
// A function that fails throws Error. An exception that nobody catches ends the program, and leaves
// the session as a crash does: `--resume` continues it. Programs without exceptions use
// orrery_server.h, which also has the rules for threads, signals and linking.
#ifndef ORRERY_SERVER_HPP
#define ORRERY_SERVER_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery_server.h"

namespace orrery::rules {

// The reason why a function failed. `code` is ORRERY_NOT_FOUND, ...
struct Error : std::runtime_error {
  Error(std::int32_t code_in, const char* why) : std::runtime_error(why), code(code_in) {}
  std::int32_t code;
};

// The motion of a body: the numbers of orrery_world_read().
struct Motion {
  std::array<double, 3> position;  // of the centre of mass
  std::array<double, 4> orientation;
  std::array<double, 3> velocity;
  std::array<double, 3> angular_velocity;
};

// A command to decide: the fields of orrery_command. Name those that its kind has, in this order.
// `text` is the bytes of a value or notice.
struct Decision {
  std::int32_t kind = ORRERY_THRUST;
  std::uint32_t subject = 0;
  std::array<double, 3> first{};
  std::array<double, 3> second{};
  std::array<double, 3> third{};
  std::array<double, 4> orientation{};  // all 0: (0, 0, 0, 1), or for a spawn that of
                                        // the copied body
  std::uint32_t ticks = 0;
  std::int32_t control = ORRERY_NOBODY;
  std::uint64_t account = 0;
  std::uint32_t category = 0;
  std::uint32_t mask = 0;
  std::string_view key{};
  std::string_view text{};
};

// A server with its session. Lists are as in orrery.h and orrery_server.h.
class Server {
 public:
  // Opens a session. `options` are those of orreryd, such as {"--scene", "playground"}.
  explicit Server(const std::vector<std::string>& options) {
    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    char why[512];
    const auto count = static_cast<std::uint32_t>(words.size());
    const std::int32_t code = orrery_server_open(words.data(), count, &server_, why, sizeof why);
    if (code < 0) throw Error(code, why);
    check(orrery_server_world(server_, &world_));
  }
  // Closes the session, or abandons it while an exception unwinds the stack.
  ~Server() {
    if (!server_) return;
    if (std::uncaught_exceptions() > unwinding_) {
      orrery_server_abandon(server_);
      return;
    }
    char why[512];
    if (orrery_server_close(server_, why, sizeof why) < 0) std::fprintf(stderr, "%s\n", why);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Waits until a tick is due. Returns false if the session ends.
  bool wait() { return check(orrery_server_wait(server_)) != ORRERY_END; }
  // Makes the tick that is due.
  void step() { check(orrery_server_step(server_)); }
  // Closes the session. Later calls throw.
  void close() {
    char why[512];
    orrery_server* const server = std::exchange(server_, nullptr);
    world_ = nullptr;
    const std::int32_t code = orrery_server_close(server, why, sizeof why);
    if (code < 0) throw Error(code, why);
  }

  // Return the facts of the server, and of its world.
  orrery_server_info info() { return get<orrery_server_info>(orrery_get_server_info, server_); }
  orrery_world_info world_info() { return get<orrery_world_info>(orrery_get_world_info, world_); }
  // Returns the scene's description of a body.
  orrery_body body(std::uint32_t id) {
    orrery_body found{};
    found.size = sizeof found;
    check_world(orrery_get_body(world_, id, &found));
    return found;
  }
  // Returns the motion of a body after the last tick.
  Motion motion(std::uint32_t id) {
    constexpr std::uint32_t kAll = ORRERY_POSITION | ORRERY_ORIENTATION | ORRERY_VELOCITY |
                                   ORRERY_ANGULAR_VELOCITY | ORRERY_DOUBLE;
    Motion found;
    check_world(orrery_world_read(world_, &id, kAll, &found, sizeof found, 1));
    return found;
  }
  // Returns the ids of all bodies.
  std::vector<std::uint32_t> ids() {
    std::vector<std::uint32_t> found(world_info().bodies);
    check_world(orrery_world_ids(world_, found.data(), static_cast<std::uint32_t>(found.size())));
    return found;
  }
  // Returns the values of the session by key.
  std::map<std::string, std::string> values() {
    std::uint32_t count = 0;
    orrery_world_values(world_, nullptr, 0, &count);
    std::vector<orrery_value> list = sized<orrery_value>(count);
    check_world(orrery_world_values(world_, list.data(), count, &count));
    std::map<std::string, std::string> found;
    for (const orrery_value& value : list) {
      found[text_of(value.key, value.key_size)] = text_of(value.bytes, value.bytes_size);
    }
    return found;
  }

  // Return the events of the last tick, and the commands that changed something in it.
  std::vector<orrery_event> events() {
    std::vector<orrery_event> found = sized<orrery_event>(world_info().events);
    const auto count = static_cast<std::uint32_t>(found.size());
    check_world(orrery_world_events(world_, found.data(), count));
    return found;
  }
  std::vector<orrery_command> applied() {
    std::vector<orrery_command> found = sized<orrery_command>(world_info().applied);
    const auto count = static_cast<std::uint32_t>(found.size());
    check_world(orrery_world_applied(world_, found.data(), count));
    return found;
  }
  // Returns the commands of the tick that is due.
  std::vector<orrery_command> commands() {
    std::uint32_t count = 0;
    orrery_server_commands(server_, nullptr, 0, &count);
    std::vector<orrery_command> found = sized<orrery_command>(count);
    check(orrery_server_commands(server_, found.data(), count, &count));
    return found;
  }
  // Replaces a command of commands(), or drops it if `command` is null.
  void change(std::uint32_t index, const orrery_command* command) {
    check(orrery_server_change(server_, index, command));
  }

  // Decides a command. Returns its number.
  std::uint64_t command(const Decision& decision) {
    orrery_command command{};
    command.size = sizeof command;
    command.kind = decision.kind;
    command.subject = decision.subject;
    to_floats(decision.first, command.first);
    to_floats(decision.second, command.second);
    to_floats(decision.third, command.third);
    to_floats(decision.orientation, command.orientation);
    const bool has_turn =
        decision.kind == ORRERY_SPAWN || decision.orientation != Decision{}.orientation;
    if (!has_turn) command.orientation[3] = 1;
    command.ticks = decision.ticks;
    command.control = decision.control;
    command.account = decision.account;
    command.category = decision.category;
    command.mask = decision.mask;
    command.key_size = put(decision.key, command.key);
    command.bytes_size = put(decision.text, command.bytes);
    std::uint64_t number = 0;
    check(orrery_server_command(server_, &command, &number));
    return number;
  }

  // Return the handles for all other functions.
  orrery_server* handle() { return server_; }
  orrery_world* world() { return world_; }

 private:
  static std::string text_of(const std::uint8_t* bytes, std::size_t size) {
    return {bytes, bytes + size};
  }
  // Copies a text into a field of a command. Returns its length.
  template <std::size_t kRoom>
  static std::uint16_t put(std::string_view text, std::uint8_t (&field)[kRoom]) {
    if (text.size() > kRoom) throw Error(ORRERY_BAD_COMMAND, "a key or text is too long");
    std::copy(text.begin(), text.end(), field);
    return static_cast<std::uint16_t>(text.size());
  }
  template <std::size_t kCount>
  static void to_floats(const std::array<double, kCount>& from, float (&to)[kCount]) {
    std::transform(from.begin(), from.end(), to, [](double x) { return static_cast<float>(x); });
  }
  template <class Row>
  static std::vector<Row> sized(std::uint32_t count) {
    Row row{};
    row.size = sizeof row;
    return std::vector<Row>(count, row);
  }
  template <class Facts, class Owner>
  static Facts get(std::int32_t (*function)(Owner*, Facts*), Owner* owner) {
    Facts facts{};
    facts.size = sizeof facts;
    check(function(owner, &facts), owner);
    return facts;
  }
  static std::int32_t check(std::int32_t code, const void* handle) {
    if (code >= 0) return code;
    char why[512];
    if (orrery_last_error(handle, why, sizeof why) < 0) orrery_code_text(code, why, sizeof why);
    throw Error(code, why);
  }
  std::int32_t check(std::int32_t code) const { return check(code, server_); }
  std::int32_t check_world(std::int32_t code) const { return check(code, world_); }

  const int unwinding_ = std::uncaught_exceptions();
  orrery_server* server_ = nullptr;
  orrery_world* world_ = nullptr;
};

}  // namespace orrery::rules

#endif
