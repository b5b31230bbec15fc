// Tests what the welcome tells a client about itself.
#include <gtest/gtest.h>

#include <vector>

#include "common/net/client_endpoint.h"
#include "common/net/drain.h"
#include "common/net/server_endpoint.h"
#include "tests/support/simulated_network.h"
#include "tests/support/tokens.h"

namespace orrery {
namespace {

// The private part of a token has the account, which the client cannot read. In development mode,
// the server draws the client ids of its tokens.
TEST(Welcome, NamesTheAccountOfTheToken) {
  for (const bool development : {true, false}) {
    test::SimulatedNetwork network(1, {});
    test::Port server_port(network, test::address_of(1, 4770));
    test::Port client_port(network, test::address_of(2));
    net::Access access = test::access_of(server_port.address());
    access.key_is_fresh = development;
    net::ServerEndpoint server(server_port, {4, 60, 1.0 / 60, 3, "test", access}, network.now);
    network.now += 2 * net::kSecond;  // the token is newer than the server
    constexpr std::uint64_t kAccount = 0xfedc'ba98'7654'3210;
    const net::ConnectToken token = test::token_for(access, network, kAccount);
    net::ClientEndpoint client(client_port, token, network.now);
    for (int i = 0; i < 20; ++i) {
      network.now += net::kSecond / 60;
      net::drain(server_port, [&](const net::Address& from, Bytes datagram) {
        server.receive(from, datagram, network.now);
      });
      net::drain(client_port, [&](const net::Address& from, Bytes datagram) {
        client.receive(from, datagram, network.now);
      });
      client.update(network.now);
    }
    ASSERT_EQ(client.state(), net::ClientState::connected);
    EXPECT_EQ(client.welcome().account, development ? 0 : kAccount);
  }
}

}  // namespace
}  // namespace orrery
