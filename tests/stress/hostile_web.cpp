// Attacks the web side of a server with many connections at a steady pace, until stdin ends.
//
// usage: hostile_web PORT CONNECTIONS BEHAVIOUR: `mixed`, or the name of one behaviour. Prints the
// number of rounds and of bytes that the server took and sent.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

// The bytes that a connection sends.
struct Behaviour {
  std::string_view name;
  std::string_view opening;   // bytes at the begin of a connection
  std::string_view repeated;  // bytes that follow, for ever
  std::size_t each_round;     // bytes of them in a round, at most
  std::size_t rounds;         // after which a new connection begins; 0: never
};

#define HOST "\r\nHost: localhost\r\n"
constexpr std::string_view kUpgrade =
    "GET /v1/ws HTTP/1.1" HOST
    "Upgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
constexpr std::string_view kUnfinished = "GET / HTTP/1.1" HOST "X: ";
constexpr std::size_t kAll = std::size_t{64} << 10;

// Client frames have a mask, here of zeros.
using namespace std::string_view_literals;
constexpr auto kBehaviours = std::to_array<Behaviour>({
    {"health", "", "GET /healthz HTTP/1.1" HOST "\r\n", kAll, 0},
    {"sessions", "", "GET /v1/session HTTP/1.1" HOST "\r\n", kAll, 0},
    {"tokens", "", "GET /v1/token HTTP/1.1" HOST "\r\n", kAll, 0},
    {"log", "", "GET /v1/log HTTP/1.1" HOST "\r\n", kAll, 0},
    {"pings", kUpgrade, "\x89\x80\0\0\0\0"sv, kAll, 0},
    {"fragments", kUpgrade, "\0\x80\0\0\0\0"sv, kAll, 0},
    {"messages", kUpgrade, "\x82\x81\0\0\0\0\x15"sv, kAll, 0},
    {"bytes", kUnfinished, "y", 1, 0},
    {"silence", "", "", 0, 0},
    {"arrivals", kUnfinished, "", 0, 64},
});
#undef HOST

struct Connection {
  int socket = -1;
  const Behaviour* does = nullptr;
  std::string text;       // repeated bytes, many times
  std::size_t sent = 0;   // bytes of the opening
  std::size_t phase = 0;  // position in `text`
  std::size_t age = 0;    // rounds
};

std::uint64_t taken = 0, answered = 0;

void end(Connection& connection) {
  if (connection.socket >= 0) ::close(connection.socket);
  connection.socket = -1;
}

void begin(Connection& connection, const sockaddr_in& server) {
  connection.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  constexpr int kSendBytes = 16 << 10;  // this program should not keep the processor busy
  ::setsockopt(connection.socket, SOL_SOCKET, SO_SNDBUF, &kSendBytes, sizeof kSendBytes);
  connection.sent = connection.phase = 0;
  if (::connect(connection.socket, reinterpret_cast<const sockaddr*>(&server), sizeof server) !=
          0 &&
      errno != EINPROGRESS) {
    end(connection);
  }
}

// Sends bytes. Returns how many the kernel took, and ends a broken connection.
std::size_t give(Connection& connection, std::string_view bytes) {
  const ssize_t size = ::send(connection.socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (size < 0 && errno != EAGAIN && errno != ENOTCONN && errno != EINPROGRESS) end(connection);
  taken += size > 0 ? static_cast<std::uint64_t>(size) : 0;
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

// Reads and forgets the answers of the server. A connection that the server ended begins again.
void listen(Connection& connection) {
  std::array<char, 65536> bytes{};
  const ssize_t size = ::recv(connection.socket, bytes.data(), bytes.size(), 0);
  if (size > 0) answered += static_cast<std::uint64_t>(size);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != ENOTCONN)) end(connection);
}

void act(Connection& connection, const sockaddr_in& server) {
  const Behaviour& does = *connection.does;
  if (does.rounds > 0 && ++connection.age % does.rounds == 0) end(connection);
  if (connection.socket < 0) begin(connection, server);
  if (connection.socket < 0) return;
  if (connection.sent < does.opening.size()) {
    connection.sent += give(connection, does.opening.substr(connection.sent));
  } else if (does.each_round > 0) {
    const std::string_view rest = std::string_view(connection.text).substr(connection.phase);
    connection.phase += give(connection, rest.substr(0, does.each_round));
    connection.phase %= does.repeated.size();
  }
  if (connection.socket >= 0) listen(connection);
}

int run(std::uint16_t port, std::size_t count, std::string_view name) {
  const sockaddr_in server{.sin_family = AF_INET,
                           .sin_port = htons(port),
                           .sin_addr = {htonl(INADDR_LOOPBACK)},
                           .sin_zero = {}};
  std::vector<Connection> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto found = std::ranges::find(kBehaviours, name, &Behaviour::name);
    if (found == kBehaviours.end() && name != "mixed") return 2;
    all[i].does = name == "mixed" ? &kBehaviours[i % kBehaviours.size()] : &*found;
    while (all[i].does->each_round > 1 && all[i].text.size() < 2 * kAll) {
      all[i].text += all[i].does->repeated;
    }
    all[i].age = i;
    if (all[i].does->each_round == 1) all[i].text = all[i].does->repeated;
  }
  std::uint64_t rounds = 0;
  // two milliseconds between two rounds leave the processor to the server
  for (pollfd input{0, POLLIN, 0}; ::poll(&input, 1, 2) == 0; ++rounds) {
    for (Connection& each : all) act(each, server);
  }
  std::printf("rounds %llu taken %llu answered %llu\n", static_cast<unsigned long long>(rounds),
              static_cast<unsigned long long>(taken), static_cast<unsigned long long>(answered));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint16_t port = 0;
  std::size_t count = 0;
  if (argc == 4) {
    const std::string_view a = argv[1], b = argv[2];
    std::from_chars(a.data(), a.data() + a.size(), port);
    std::from_chars(b.data(), b.data() + b.size(), count);
  }
  if (port == 0 || count == 0) {
    std::fputs("usage: hostile_web PORT CONNECTIONS BEHAVIOUR\n", stderr);
    return 2;
  }
  return run(port, count, argv[3]);
}
