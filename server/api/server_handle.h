// The handle of a server.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "client/api/world_handle.h"
#include "common/host/process/stop_signal.h"
#include "server/api/orrery_server.h"
#include "server/run/session.h"

// A server of the C interface. The type is in the global namespace, because the C header declares
// it there, without members.
struct orrery_server final : orrery::api::Handle {
  static constexpr orrery::api::HandleType kType = orrery::api::HandleType::server;

  orrery_server() : Handle(kType), view(nullptr) {
    thread = orrery::api::this_thread();
    view.thread = thread;
  }

  std::optional<orrery::host::StopSignal> stop;  // outlives the session
  std::unique_ptr<orrery::server::Session> session;
  orrery_world view;  // a view of the world of the session

  std::uint64_t decisions = 0;           // numbers that were given to decisions
  std::uint64_t refused = 0;             // decisions that were refused
  std::deque<orrery_refusal> refusals;   // by steps, not read yet
  std::vector<orrery::Command> command;  // scratch memory
};
