// The handle of a client.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "client/api/machine/machine.h"
#include "client/api/world_handle.h"
#include "client/lib/client.h"

// A client. It is global because it is opaque in the header.
struct orrery_client final : orrery::api::Handle {
  static constexpr orrery::api::HandleType kType = orrery::api::HandleType::client;

  // A client with a socket; without one if it is null.
  orrery_client(const orrery::client::ClientOptions& options,
                std::unique_ptr<orrery::api::SocketClient> socket_in);

  // Returns the client.
  orrery::client::Client& client() { return socket ? socket->client() : *own; }
  // Returns the time of a call: a client with a socket uses this machine's clock.
  orrery::net::Nanoseconds time(std::uint64_t now) const;
  // Runs a call that changes the client. Meanwhile, and if it throws, frame and world are invalid.
  template <class Change>
  void change(Change change) {
    frame = nullptr;
    followed.view(nullptr);
    change();
    followed.view(client().world());
  }

  std::optional<orrery::client::Client> own;
  bool follows = false;                            // steps a world, so the float mode matters
  std::optional<orrery::net::ConnectToken> token;  // given, and not yet used
  bool wants_token = false;
  std::unique_ptr<orrery::api::SocketClient> socket;  // if not own

  const std::vector<orrery::client::BodyPose>* frame = nullptr;  // until the client changes
  orrery_world followed;                                         // a view of the followed world
  orrery_world scene_view;                                       // a view of `scene`
  std::optional<orrery::World> scene;                            // in its initial state
  std::uint64_t scene_epoch = 0;                                 // of `scene`
  std::deque<orrery::codec::message::Events> events;             // not read yet
  std::vector<orrery::Command> commands;                         // reused by calls
};
