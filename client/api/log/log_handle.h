// The handle of a session log.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "client/api/world_handle.h"
#include "common/session/log_reader.h"
#include "common/session/replay/playback.h"
#include "common/session/replay/replay.h"

namespace orrery::api {

// A verification in progress.
struct LogVerification {
  LogVerification(session::OpenedLog log_in, World world_in)
      : log(std::move(log_in)),
        world(std::move(world_in)),
        verifier(*log.reader, log.header, world) {}

  session::OpenedLog log;
  World world;
  session::Verifier verifier;
  bool ended = false;
};

// The facts that one reading of a log finds.
struct LogSummary {
  codec::LogHeader header;
  std::uint32_t tick_rate = 0;
  std::string scene;  // its name
  std::uint64_t first_tick = 0;
  session::LogTail tail;
};

// Makes a log of the segments that `open_segment` opens, for the functions orrery_log_from_...().
std::int32_t open_log(session::OpenSegment open_segment, orrery_log** log, char* why,
                      std::uint32_t why_size);

}  // namespace orrery::api

// A log. It is global because it is opaque in the header.
struct orrery_log final : orrery::api::Handle {
  static constexpr orrery::api::HandleType kType = orrery::api::HandleType::log;

  orrery_log(orrery::session::OpenSegment open, orrery::api::LogSummary found)
      : Handle(kType), open_segment(std::move(open)), summary(std::move(found)) {}

  orrery::session::OpenSegment open_segment;
  orrery::api::LogSummary summary;

  // states between checkpoints
  std::shared_ptr<orrery::session::KeptStates> kept =
      std::make_shared<orrery::session::KeptStates>(orrery::session::kKeptBytesMax);
  bool keeps_session = false;  // orrery_log_keep() was called
  std::uint64_t prepared = 0;  // ticks that orrery_log_prepare() stepped since a seek

  // Made when they are first needed.
  std::optional<orrery::session::OpenedLog> records;  // of orrery_log_next()
  std::optional<orrery::session::TickRecord> unread;  // a record that was read but not taken
  std::unique_ptr<orrery::api::LogVerification> verification;
  std::unique_ptr<orrery_world> replayed;               // of the world of `verification`
  std::unique_ptr<orrery::session::Playback> playback;  // of orrery_log_seek()
  std::unique_ptr<orrery_world> view;                   // of the world of `playback`
  std::unique_ptr<orrery::session::Playback> scout;     // of orrery_log_prepare()
};
