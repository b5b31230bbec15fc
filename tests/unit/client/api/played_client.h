// Provides a server in one process, and a client of the C interface. Tests carry its datagrams.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "tests/support/served_session.h"
#include "tests/unit/client/api/c_interface.h"

namespace orrery::test {

inline ClientHandle new_client(const orrery_client_options* options = nullptr) {
  orrery_client* client = nullptr;
  char why[512];
  EXPECT_EQ(orrery_client_create(options, &client, why, sizeof why), ORRERY_OK) << why;
  return ClientHandle(client);
}

// A server, and a client. The test carries its datagrams.
struct PlayedClient : ServedSession {
  explicit PlayedClient(const char* scene,
                        orrery_client_options options = sized<orrery_client_options>(),
                        Role role_in = Role::play)
      : ServedSession(scene), client(new_client(&options)), role(role_in) {}

  orrery_client_info info() const {
    auto info = sized<orrery_client_info>();
    EXPECT_EQ(orrery_get_client_info(client.get(), &info), ORRERY_OK);
    return info;
  }
  orrery_client_stats stats() const {
    auto stats = sized<orrery_client_stats>();
    EXPECT_EQ(orrery_get_client_stats(client.get(), &stats), ORRERY_OK);
    return stats;
  }

  std::int32_t give_token() {
    given = token(2, {.role = role});
    const auto bytes = net::encode_connect_token(given);
    return orrery_client_connect(client.get(), bytes.data(),
                                 static_cast<std::uint32_t>(bytes.size()), now());
  }

  void pump() {
    std::array<std::uint8_t, 2000> bytes;
    net::Address from;
    auto address = sized<orrery_address>();
    while (const auto size = client_port.receive(from, bytes)) {
      std::vector<std::uint8_t> datagram(bytes.data(), bytes.data() + *size);
      if (tamper) tamper(datagram);
      std::copy(from.ip.begin(), from.ip.end(), address.ip);
      address.port = from.port;
      ASSERT_EQ(orrery_client_receive(client.get(), &address, datagram.data(),
                                      static_cast<std::uint32_t>(datagram.size()), now()),
                ORRERY_OK);
    }
    ASSERT_EQ(orrery_client_update(client.get(), now(), 0), ORRERY_OK);
    std::uint32_t size = 0;
    while (orrery_client_poll_send(client.get(), &address, bytes.data(), bytes.size(), &size) ==
           ORRERY_OK) {
      net::Address to;
      std::copy(std::begin(address.ip), std::end(address.ip), to.ip.begin());
      to.port = address.port;
      client_port.send(to, Bytes(bytes).first(size));
    }
  }

  // Runs the client for some ticks, and the server too if `serves`. If gives_tokens is true, gives
  // the client a token whenever it wants one.
  void run(int ticks, bool serves = true) {
    for (int i = 0; i < ticks; ++i) {
      network.now += net::kSecond / world.scene().tick_rate;
      if (serves) server.tick(now());
      if (info().wants_token != 0 && gives_tokens) {
        ASSERT_EQ(give_token(), ORRERY_OK);
      }
      pump();
    }
  }

  // Moves the bodies to this moment, and returns their number.
  std::uint32_t frame(std::int32_t mode) {
    shown = sized<orrery_frame>();
    EXPECT_EQ(orrery_client_frame(client.get(), now(), mode, &shown), ORRERY_OK)
        << error_of(client.get());
    return shown.bodies;
  }

  Port client_port{network, address_of(2)};
  ClientHandle client;
  Role role;  // of its tokens
  bool gives_tokens = true;
  net::ConnectToken given;                                 // the newest token
  std::function<void(std::vector<std::uint8_t>&)> tamper;  // changes datagrams to the client
  orrery_frame shown = sized<orrery_frame>();
};

}  // namespace orrery::test
