// Doors and lift: a button opens a door, and a key a gate. A bridge carries one player.
//
//   c++ -std=c++20 doors.cpp $(pkg-config --cflags --libs orrery-server) -o doors
//   ./doors --scene doors.json [OPTION OF ORRERYD]...
//
// A client that joins gets a player. It runs with thrusts, or is dragged in the page. The first
// player at the treasure wins the round.
#include <set>

#include "orrery_server.hpp"

namespace {

using Id = std::uint32_t;
using Place = std::array<double, 3>;

// The ids of bodies and joints in doors.json, and places of the lift and the key.
enum Body : Id { kButton = 1, kShaft, kPit, kLock, kTreasure, kLift, kKey, kCrate = 11, kRed = 13 };
enum Joint : Id { kDoor, kGate, kBridge, kChain };
constexpr Id kPlayers = 4;
constexpr Place kBottom{-3.2, -0.08, 0}, kTop{-3.2, 2.9, 0}, kPeg{1, 4.2, -1.6};
constexpr Place kKeyhole{10.3, 4.2, 0.5};

bool is_player(Id body) { return body >= kRed; }

struct Game {
  orrery::rules::Server& server;
  const std::uint64_t second = server.world_info().tick_rate;  // in ticks, as all times here
  std::uint64_t now = 0, begin = server.world_info().tick + 1, best = 0;  // of the round
  std::uint64_t lift_rests = 0, door_closes = 0, bridge_returns = 0;
  std::map<Id, std::pair<Id, std::uint64_t>> owners{};  // by player: client and account
  std::array<std::set<Id>, kKey + 1> inside{};          // crates and players, by sensor
  Id carrier = 0;                                       // of the key
  bool is_unlocked = false;

  void tick() {
    now = server.world_info().tick + 1;
    for (const orrery_command& c : server.applied()) {
      if (c.kind == ORRERY_JOIN && c.role == ORRERY_PLAY) join(c.subject, c.account);
      if (c.kind == ORRERY_LEAVE) leave(c.subject);
    }
    for (const orrery_event& event : server.events()) notice(event);
    const std::vector<orrery_command> due = server.commands();
    for (Id i = 0; i < due.size(); ++i) {  // players may not remove their bodies and the crates
      if (due[i].client != 0 && due[i].kind == ORRERY_REMOVE) server.change(i, nullptr);
    }
    if (now == begin) begin_round();
    if (now % second == 0 && now > begin) show("hud/time", seconds());
    if (!inside[kButton].empty()) door_closes = now + 3 * second;
    turn(kDoor, now < door_closes ? 1.6 : 0);
    if (now == bridge_returns) turn(kBridge, 0.05, 5);
    move_lift();
    if (carrier != 0) {  // the key hovers over its carrier
      Place over = server.motion(carrier).position;
      over[1] += 1.2;
      move(kKey, over, 2);
    }
  }

  std::string seconds() const { return std::to_string((now - begin) / second); }
  std::string name(Id body) { return server.body(body).name; }
  void tell(const std::string& text, Id client = 0) {
    server.command({.kind = ORRERY_TELL, .subject = client, .text = text});
  }
  void show(std::string_view key, const std::string& text) {
    server.command({.kind = ORRERY_SET_VALUE, .key = key, .text = text});
  }
  void move(Id body, const Place& to, Id ticks) {
    server.command({.kind = ORRERY_MOVE_TO, .subject = body, .first = to, .ticks = ticks});
  }
  void turn(Joint hinge, double angle, double frequency = 1) {
    server.command({.kind = ORRERY_SET_TARGET, .subject = hinge, .first = {angle, frequency, 1}});
  }
  void put(Id body, const Place& to) {
    server.command({.kind = ORRERY_PLACE, .subject = body, .first = to});
  }
  // Gives a player to an account. This ends what others hold.
  void give(Id body, std::uint64_t account) {
    const auto owner = ORRERY_OWNER;
    server.command(
        {.kind = ORRERY_SET_CONTROL, .subject = body, .control = owner, .account = account});
  }

  void join(Id client, std::uint64_t account) {
    Id body = kRed;
    while (owners.contains(body)) ++body;
    if (body == kRed + kPlayers) return tell("There is no free player: you watch.", client);
    if (owners.empty()) begin = now + 1;
    owners[body] = {client, account != 0 ? account : client};
    send_home(body);
    tell("You are " + name(body) + ", body " + std::to_string(body) + ".", client);
  }
  void leave(Id client) {
    for (Id body = kRed; body < kRed + kPlayers; ++body) {
      if (!owners.contains(body) || owners[body].first != client) continue;
      owners.erase(body);
      send_home(body);
    }
  }
  // Puts a crate or a player where it starts. A player drops the key, and what moves it.
  void send_home(Id body) {
    if (!is_player(body)) return put(body, {-7, 0.36, body == kCrate ? 0.5 : -1.5});
    put(body, {-11, 0.81, body - kRed - 1.5});
    give(body, 0);
    if (owners.contains(body)) give(body, owners[body].second);
    if (body == carrier) drop_key();
  }
  void drop_key() {
    carrier = 0;
    put(kKey, kPeg);
    show("hud/key", "free");
  }
  void begin_round() {
    is_unlocked = false;
    turn(kGate, 0);
    for (Id body = kRed; body < kRed + kPlayers; ++body) send_home(body);
    drop_key();
    tell("Find the treasure!");
  }

  void notice(const orrery_event& event) {
    const auto [sensor, body] = std::minmax(event.a, event.b);
    if (event.kind == ORRERY_LEFT_BOUNDS && body >= kCrate) send_home(body);
    if (event.kind == ORRERY_JOINT_BROKE && event.part_a == kChain) {
      tell("The bridge breaks: it carries one player.");
      bridge_returns = now + 5 * second;
    }
    if (sensor > kKey || body < kCrate) return;
    if (event.kind == ORRERY_SENSOR_END) inside[sensor].erase(body);
    if (event.kind == ORRERY_SENSOR_BEGIN) enter(sensor, body);
  }
  void enter(Id sensor, Id body) {
    inside[sensor].insert(body);
    if (sensor == kPit) send_home(body);
    if (!is_player(body) || now < begin) return;
    if (sensor == kKey && carrier == 0 && !is_unlocked) {
      carrier = body;
      show("hud/key", name(body));
      tell(name(body) + " has the key.");
    } else if (sensor == kLock && carrier == body) {
      carrier = 0;
      is_unlocked = true;
      move(kKey, kKeyhole, 30);
      turn(kGate, 1.6);
      tell(name(body) + " opens the gate.");
    } else if (sensor == kTreasure) {
      const std::uint64_t took = (now - begin) / second;
      best = best == 0 ? took : std::min(best, took);
      show("hud/best", std::to_string(best));
      tell(name(body) + " wins in " + seconds() + " s!");
      begin = now + 4 * second;
    }
  }
  // The lift rises with a player. It comes down when it and its shaft are empty.
  void move_lift() {
    const std::set<Id>& riders = inside[kLift];
    const bool has_player = !riders.empty() && is_player(*riders.rbegin());
    const bool is_up = server.motion(kLift).position[1] > 1.5;
    if (now < lift_rests || has_player == is_up || (is_up && !inside[kShaft].empty())) return;
    move(kLift, is_up ? kBottom : kTop, static_cast<Id>(3 * second));
    lift_rests = now + 4 * second;
  }
};

}  // namespace

int main(int argc, char** argv) {
  orrery::rules::Server server({argv + 1, argv + argc});
  Game game{server};
  for (; server.wait(); server.step()) game.tick();
}
