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

// A client of the C interface. The type is in the global namespace, because the C header declares
// it there, without members.
struct orrery_client final : orrery::api::Handle {
  static constexpr orrery::api::HandleType kType = orrery::api::HandleType::client;

  // Makes a client with this socket, or one without a socket if it is null.
  orrery_client(const orrery::client::ClientOptions& options,
                std::unique_ptr<orrery::api::SocketClient> socket_in);

  // Returns the client.
  orrery::client::Client& client() { return socket ? socket->client() : *own; }
  // Returns the time of a call: `now`, or this machine's clock if the client has a socket.
  orrery::net::Nanoseconds time(std::uint64_t now) const;
  // Runs a call that changes the client. The frame and the view of the world become invalid, even
  // if the call throws.
  void change(auto change) {
    frame = nullptr;
    followed.view(nullptr);
    change();
    followed.view(client().world());
  }

  std::optional<orrery::client::Client> own;
  // the client steps a world, so the float mode of its thread matters
  bool follows = false;
  std::optional<orrery::net::ConnectToken> token;  // a token that was given and not used yet
  bool wants_token = false;
  std::unique_ptr<orrery::api::SocketClient> socket;  // if not own

  // the newest frame; null after the client has changed
  const std::vector<orrery::client::BodyPose>* frame = nullptr;
  orrery_world followed;               // a view of the followed world
  orrery_world scene_view;             // a view of `scene`
  std::optional<orrery::World> scene;  // in its initial state
  // epoch of the server that sent `scene`
  std::uint64_t scene_epoch = 0;
  // events, refusals, notices and answers that the caller has not read
  std::deque<orrery::codec::message::Events> events;
  std::deque<orrery::client::RefusedNumber> refusals;
  std::deque<orrery::codec::message::Notice> notices;
  std::deque<orrery::client::RayAnswer> answers;
  std::vector<orrery::Command> commands;  // scratch memory
};
