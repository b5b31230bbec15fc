// Tests a client with a socket, against a server on 127.0.0.1 in this process.
#include "client/udp/udp_client.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>

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
  Served() {
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
  std::unique_ptr<host::UdpNetwork> socket = std::move(host::UdpNetwork::bind(kAnyPort).value());
  World world{built_in_scene("free:8").value()};
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
  ASSERT_TRUE(opened) << opened.error().message;
  UdpClient& client = *opened.value();
  ASSERT_TRUE(served.run_until(client, [&] { return !client.frame().poses->empty(); }))
      << client.problem();
  EXPECT_EQ(client.frame().poses->size(), 8u);
  EXPECT_EQ(client.client().welcome().role, Role::play);
  EXPECT_TRUE(client.command(command::Impulse{BodyId{0}, {0, 1, 0}}));
}

// A frame takes its time, and the time is used: several updates lie between two frames.
TEST(UdpClient, FramesAreAtLeastTheirIntervalApart) {
  Served served;
  auto opened = UdpClient::open(served.options());
  ASSERT_TRUE(opened);
  ASSERT_TRUE(opened.value()->wait_for_frame(200));
  const net::Nanoseconds start = host::monotonic_now();
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(opened.value()->wait_for_frame(200));
  EXPECT_GE(host::monotonic_now() - start, 4 * net::kSecond / 200 - net::kMillisecond);
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
  const client::AccessOptions token{.key_file = {}, .token = file};
  const client::TokenSource source = access.value().source(token, Role::play);
  const auto first = source();
  ASSERT_TRUE(first && first.value());
  const auto again = source();
  ASSERT_TRUE(again);
  EXPECT_FALSE(again.value());  // not yet
  write();
  auto second = source();
  while (second && !second.value()) second = source();
  EXPECT_NE(first.value()->head.nonce, second.value()->head.nonce);
}

// The next connection replaces the one before, so both have the same client id.
TEST(UdpClient, TokensFromAKeyKeepTheClientId) {
  Served served;
  const client::AccessOptions key = served.options().access;
  const auto access = client::Access::open(key, served.socket->local());
  ASSERT_TRUE(access);
  const client::TokenSource source = access.value().source(key, Role::admin);
  std::vector<net::PrivateToken> opened;
  while (opened.size() < 2) {
    const auto token = source();
    ASSERT_TRUE(token);
    if (!token.value()) continue;
    const auto inside = net::open_private_token(host::SodiumCipher(), served.access.key,
                                                token.value()->head, token.value()->sealed);
    ASSERT_TRUE(inside);
    opened.push_back(*inside);
  }
  EXPECT_EQ(opened[0].client_id, opened[1].client_id);
  EXPECT_NE(opened[0].client_to_server, opened[1].client_to_server);
  EXPECT_EQ(opened[0].user_data[0], static_cast<std::uint8_t>(Role::admin));
}

TEST(UdpClient, SaysThatNobodyListens) {
  client::UdpClientOptions options;
  {
    Served served;
    options = served.options();
    const client::AccessOptions key = options.access;
    const auto access = client::Access::open(key, served.socket->local());
    const std::string file = std::filesystem::temp_directory_path() / "orrery-udp-nobody";
    std::filesystem::remove(file);
    auto token = access.value().next(Role::play);
    token.head.expires = host::unix_seconds() + 1;  // the client gives up after a second
    token.created = token.head.expires - 1;
    ASSERT_TRUE(host::write_secret(file, net::encode_connect_token(token)));
    options.access = {.key_file = {}, .token = file};
  }  // the socket is closed
  auto opened = UdpClient::open(options);
  ASSERT_TRUE(opened) << opened.error().message;
  while (opened.value()->wait(10 * net::kMillisecond)) {
  }
  EXPECT_NE(opened.value()->problem().find("nothing listens there"), std::string::npos)
      << opened.value()->problem();
  EXPECT_EQ(client::explain(opened.value()->client().attempt()).cause,
            client::ConnectFailure::nobody_listens);
  std::filesystem::remove(options.access.token);
}

TEST(UdpClient, RefusesAnAddressOrFileThatItCannotUse) {
  client::UdpClientOptions options;
  options.server = "nowhere";
  EXPECT_FALSE(UdpClient::open(options));
  options.server = "127.0.0.1:9";
  options.access.key_file = "/does/not/exist";
  const auto opened = UdpClient::open(options);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("/does/not/exist"), std::string::npos);
}

}  // namespace
}  // namespace orrery
