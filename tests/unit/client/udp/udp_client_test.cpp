// Tests a client with a socket, against a server on 127.0.0.1 in this process.
#include "client/udp/udp_client.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>

#include "client/api/orrery.h"
#include "common/host/net/key_file.h"
#include "common/host/process/clock.h"
#include "common/net/packet/address_text.h"
#include "common/world/scenes/scenes.h"
#include "server/server.h"
#include "tests/support/memory_log.h"
#include "tests/support/tokens.h"

namespace orrery {
namespace {

using client::ClientPhase;
using client::UdpClient;

const net::Address kAnyPort = test::address_of(0x7f000001, 0);

// A folder that is removed at the end.
struct Folder {
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "orrery-udp-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

// A server that is stepped by the test. Its key is in a file.
struct Served {
  explicit Served(const char* scene = "free:8", const net::Address& at = kAnyPort)
      : socket(std::move(host::UdpNetwork::bind(at).value())),
        world(built_in_scene(scene).value()) {
    access.key.fill(5);
    access.address = socket->local();
    access.key_is_fresh = true;
    std::string text;
    for (int i = 0; i < 32; ++i) text += "05";
    const std::string line = text + "\n";
    const Bytes bytes{reinterpret_cast<const std::uint8_t*>(line.data()), line.size()};
    EXPECT_TRUE(host::write_secret(key_file, bytes));
    server = std::make_unique<server::Server>(
        world, log, server::ServerEnvironment{*socket, *socket, executor, operator_log}, access,
        host::monotonic_now());
  }

  client::UdpClientOptions options() const {
    client::UdpClientOptions options;
    options.server = net::format_address(socket->local());
    options.access.key_file = key_file;
    return options;
  }

  // Lets client and server take turns until `done()`, or for ten thousand turns.
  template <class Done>
  bool run_until(UdpClient& client, Done done) {
    for (int i = 0; i < 10'000 && !done(); ++i) {
      server->tick(host::monotonic_now());
      client.wait(net::kMillisecond);
    }
    return done();
  }

  Folder folder;
  const std::string key_file = folder.path + "/key";
  std::unique_ptr<host::UdpNetwork> socket;
  World world;
  test::MemorySink sink;
  session::SessionLog log{sink, session::make_log_header(world, "test", codec::SessionId{})};
  SerialExecutor executor;
  server::OperatorLog operator_log;
  net::Access access;
  std::unique_ptr<server::Server> server;
};

TEST(UdpClient, ConnectsWithAKeyFileAndShowsBodies) {
  Served served;
  auto opened = UdpClient::open(served.options());
  ASSERT_TRUE(opened) << opened.error().text();
  UdpClient& client = *opened.value();
  ASSERT_TRUE(served.run_until(client, [&] { return !client.frame().poses->empty(); }))
      << client.problem();
  EXPECT_EQ(client.frame().poses->size(), 8u);
  EXPECT_EQ(client.client().welcome().role, Role::play);
  EXPECT_TRUE(client.command(command::Impulse{BodyId{0}, {0, 1, 0}}));
}

// The client is updated between two frames, and no frame comes before it is due.
TEST(UdpClient, FramesAreAtLeastTheirIntervalApart) {
  Served served;
  auto opened = UdpClient::open(served.options());
  ASSERT_TRUE(opened);
  const net::Nanoseconds start = host::monotonic_now();
  // The first frame is due at once.
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(opened.value()->wait_for_frame(200));
  EXPECT_GE(host::monotonic_now() - start, 4 * net::kSecond / 200);
}

TEST(UdpClient, ReadsATokenFileAgainForEachConnection) {
  Served served;
  const client::AccessOptions key = served.options().access;
  const auto access = client::Access::open(key, served.socket->local());
  ASSERT_TRUE(access);
  const std::string file = served.folder.path + "/token";
  const auto write = [&] {
    std::filesystem::remove(file);
    ASSERT_TRUE(
        host::write_secret(file, net::encode_connect_token(access.value().next(Role::play))));
  };
  write();
  const auto token = client::Access::open({.token = file}, served.socket->local());
  ASSERT_TRUE(token) << token.error().text();
  const client::TokenSource source = token.value().source(Role::play);
  const auto first = source();
  ASSERT_TRUE(first && first.value().token);
  const auto again = source();
  ASSERT_TRUE(again);
  EXPECT_FALSE(again.value().token);  // the source has no other token yet
  write();
  auto second = source();
  while (second && !second.value().token) second = source();
  EXPECT_NE(first.value().token->head.nonce, second.value().token->head.nonce);
}

// A new connection with the same client id replaces the one before. The id must therefore stay the
// same.
TEST(UdpClient, TokensFromAKeyKeepTheClientId) {
  Served served;
  const auto access = client::Access::open(served.options().access, served.socket->local());
  ASSERT_TRUE(access);
  const client::TokenSource source = access.value().source(Role::admin);
  std::vector<net::PrivateToken> opened;
  while (opened.size() < 2) {
    const auto token = source();
    ASSERT_TRUE(token);
    const std::optional<net::ConnectToken>& made = token.value().token;
    if (!made) continue;
    const auto inside =
        net::open_private_token(host::SodiumCipher(), served.access.key, made->head, made->sealed);
    ASSERT_TRUE(inside);
    opened.push_back(*inside);
  }
  EXPECT_EQ(opened[0].client_id, opened[1].client_id);
  EXPECT_NE(opened[0].client_to_server, opened[1].client_to_server);
  EXPECT_EQ(opened[0].user_data[0], static_cast<std::uint8_t>(Role::admin));
}

// A server stops, and another one with another scene starts at its address.
TEST(UdpClient, ComesBackToANewServerAndItsScene) {
  auto first = std::make_unique<Served>("free:8");
  const client::UdpClientOptions options = first->options();
  auto opened = UdpClient::open(options);
  ASSERT_TRUE(opened);
  UdpClient& client = *opened.value();
  const auto bodies = [&] {
    const Scene* const scene = client.client().scene();
    return scene ? scene->bodies.size() : 0;
  };
  ASSERT_TRUE(first->run_until(client, [&] { return bodies() == 8; })) << client.problem();
  const net::Address address = first->socket->local();
  const std::string key_file = first->folder.path + "-kept";
  std::filesystem::copy_file(first->key_file, key_file);
  first->server->stop(host::monotonic_now());
  while (client.client().phase() == ClientPhase::connected) client.wait(net::kMillisecond);
  EXPECT_EQ(client.client().failure(), client::ConnectFailure::stopped);
  const std::string folder = first->folder.path;
  first.reset();
  Served second("playground", address);
  std::filesystem::create_directory(folder);
  std::filesystem::rename(key_file, folder + "/key");
  const bool came_back = second.run_until(client, [&] { return bodies() == 45; });
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(came_back) << client.problem();
  EXPECT_EQ(client.client().stats().connections, 2u);
}

// The client connects with the key. When it needs another token, the key file is damaged or gone.
TEST(UdpClient, SaysWhyTheKeyFileGivesNoOtherToken) {
  Served served;
  auto opened = UdpClient::open(served.options());
  ASSERT_TRUE(opened) << opened.error().text();
  UdpClient& client = *opened.value();
  const auto is_connected = [&] { return client.client().phase() == ClientPhase::connected; };
  ASSERT_TRUE(served.run_until(client, is_connected)) << client.problem();
  std::filesystem::resize_file(served.key_file, 10);
  served.server->stop(host::monotonic_now());
  const std::string start =
      "the server at " + served.options().server + " stopped; " + served.key_file;
  const auto says = [&](const std::string& text) {
    const auto found = [&] { return client.problem().find(start + text) == 0; };
    for (int i = 0; i < 10'000 && !found(); ++i) client.wait(net::kMillisecond);
    return found();
  };
  EXPECT_TRUE(says(":1: the key has 10 hexadecimal digits")) << client.problem();
  std::filesystem::remove(served.key_file);
  EXPECT_TRUE(says(": No such file")) << client.problem();
  EXPECT_EQ(client.client().phase(), ClientPhase::reconnecting);
}

// Counts how often a file is opened. Watches the closing too: the system merges equal events in a
// row, so it would report two openings in a row as one.
class OpenCount {
 public:
  explicit OpenCount(const std::string& path) : watch_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    EXPECT_GE(::inotify_add_watch(watch_, path.c_str(), IN_OPEN | IN_CLOSE), 0);
  }
  ~OpenCount() { ::close(watch_); }
  OpenCount(const OpenCount&) = delete;
  OpenCount& operator=(const OpenCount&) = delete;

  // Returns the number of openings since the last call. All events have the same size, because
  // events of a single file contain no name.
  std::ptrdiff_t take() const {
    std::array<inotify_event, 64> events{};
    const ssize_t bytes = ::read(watch_, events.data(), sizeof events);
    if (bytes < 0) return 0;
    return std::count_if(events.begin(), events.end(),
                         [](const inotify_event& event) { return (event.mask & IN_OPEN) != 0; });
  }

 private:
  const int watch_;
};

// A second reading would take time, and could find other bytes.
TEST(UdpClient, ReadsAKeyOrTokenFileOnce) {
  Served served;
  const std::string server = net::format_address(served.socket->local());
  const std::string token_file = served.folder.path + "/token";
  const auto access = client::Access::open(served.options().access, served.socket->local());
  ASSERT_TRUE(access);
  ASSERT_TRUE(
      host::write_secret(token_file, net::encode_connect_token(access.value().next(Role::play))));
  for (const std::string& file : {served.key_file, token_file}) {
    const OpenCount count(file);
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(std::ifstream(file).is_open());
    ASSERT_EQ(count.take(), 2);  // control: both openings are counted
    client::UdpClientOptions options;
    options.server = server;
    options.access.either = file;
    auto opened = UdpClient::open(options);
    ASSERT_TRUE(opened) << opened.error().text();
    EXPECT_EQ(count.take(), 1) << file;
    orrery_client* client = nullptr;
    char why[512] = "";
    ASSERT_EQ(orrery_client_open(server.c_str(), file.c_str(), nullptr, &client, why, sizeof why),
              ORRERY_OK)
        << why;
    orrery_client_destroy(client);
    EXPECT_EQ(count.take(), 1) << file;
  }
}

TEST(UdpClient, SaysThatNobodyListens) {
  const Folder folder;
  client::UdpClientOptions options;
  {
    Served served;
    options = served.options();
    const auto access = client::Access::open(options.access, served.socket->local());
    const std::string file = folder.path + "/token";
    auto token = access.value().next(Role::play);
    token.head.expires = host::unix_seconds() + 1;  // the client gives up after a second
    token.created = token.head.expires - 1;
    ASSERT_TRUE(host::write_secret(file, net::encode_connect_token(token)));
    options.access = {.token = file};
  }  // the socket is closed
  auto opened = UdpClient::open(options);
  ASSERT_TRUE(opened) << opened.error().text();
  while (opened.value()->wait(10 * net::kMillisecond)) {
  }
  EXPECT_NE(opened.value()->problem().find("nothing listens there"), std::string::npos)
      << opened.value()->problem();
  EXPECT_EQ(opened.value()->client().failure(), client::ConnectFailure::nobody_listens);
}

TEST(UdpClient, RefusesAnAddressOrFileThatItCannotUse) {
  client::UdpClientOptions options;
  options.server = "nowhere";
  EXPECT_FALSE(UdpClient::open(options));
  options.server = "127.0.0.1:9";
  const std::string missing = "/does/not/exist";
  for (const client::AccessOptions& access :
       {client::AccessOptions{.key_file = missing}, client::AccessOptions{.token = missing},
        client::AccessOptions{.either = missing}}) {
    options.access = access;
    const auto opened = UdpClient::open(options);
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().text().find(missing), std::string::npos);
  }
}

}  // namespace
}  // namespace orrery
