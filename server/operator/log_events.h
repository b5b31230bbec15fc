// Lists every event that the server logs: its level, its name and its meaning.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orrery::server {

enum class LogLevel : std::uint8_t { debug, info, warn, error };

// One row for each event: identifier, level, name, meaning. A log line has time, level, name and
// fields. server/OPERATING.md has a row for each name, with the action that an operator should
// take.
// clang-format off
#define ORRERY_LOG_EVENTS(EVENT)                                                                   \
  EVENT(client_joined, info, "client joined", "A client joined the session.")                      \
  EVENT(client_left, info, "client left", "A client left the session.")                            \
  EVENT(client_replaced, info, "client replaced",                                                  \
        "A client left, because it connected again from another address or program.")              \
  EVENT(client_moved, info, "client moved", "A client continues from another address.")            \
  EVENT(client_narrowed, warn, "client narrowed",                                                  \
        "The path to a client drops large datagrams. It gets small ones.")                         \
  EVENT(client_diverged, error, "client diverged",                                                 \
        "A client that steps the world itself computed another state than the server.")            \
  EVENT(web_refused, debug, "web refused",                                                         \
        "A web request was refused, or a web connection was ended for breaking a rule.")         \
  EVENT(ticks_slow, warn, "ticks slow", "The session fell behind the clock for good.")             \
  EVENT(log_not_durable, error, "log not durable",                                                 \
        "A write or sync of the log failed, or its disk is more than half a second late.")         \
  EVENT(log_damaged, error, "log damaged",                                                         \
        "Another program removed, replaced or cut a file of the session log.")                     \
  EVENT(log_durable_again, info, "log durable again", "The disk has the session log again.")       \
  EVENT(log_shortened, info, "log shortened", "Old records of the log were removed (--keep).")     \
  EVENT(disk_low, warn, "disk low", "The disk of the session log is almost full.")                 \
  EVENT(disk_recovered, info, "disk recovered", "The disk of the session log has space again.")    \
  EVENT(status_failed, warn, "status file failed", "The status file cannot be written.")           \
  EVENT(status_recovered, info, "status file recovered", "The status file is written again.")      \
  EVENT(status_written, debug, "status file written", "The status file was replaced.")             \
  EVENT(stderr_lines_dropped, warn, "stderr lines dropped",                                        \
        "Log lines were lost because nothing read stderr.")                                        \
  EVENT(session_resumed, info, "session resumed", "The server continues the session of a log.")    \
  EVENT(scene_doubtful, warn, "scene doubtful", "A part of the scene file has no effect.")         \
  EVENT(option_ignored, info, "option ignored", "The resumed session does not use an option.")     \
  EVENT(checkpoint_skipped, warn, "checkpoint skipped",                                            \
        "A checkpoint does not contain a state of this session; an earlier one is used.")          \
  EVENT(seals_verified, info, "seals verified", "The seals of the resumed log are correct.")       \
  EVENT(development_mode, warn, "development mode",                                                \
        "There is no --key-file: every program that can read the key of this run may connect.")    \
  EVENT(web_exposed, warn, "web exposed",                                                          \
        "--web listens beyond loopback, without TLS.")                                             \
  EVENT(tokens_accepted, info, "tokens accepted", "The server accepts connect tokens.")            \
  EVENT(clock_behind, error, "clock behind",                                                       \
        "The clock is behind the newest token that an earlier run accepted.")                      \
  EVENT(newest_token_failed, warn, "newest token failed",                                          \
        "The file with the time of the newest accepted token cannot be written.")                  \
  EVENT(receive_buffer_small, warn, "receive buffer small",                                        \
        "The system gives the UDP socket a smaller receive buffer than 1,000 clients need.")       \
  EVENT(signal_ignored, info, "signal ignored", "A signal has no effect on this server.")          \
  EVENT(shadow_diverged, error, "shadow diverged", "The shadow and the session differ.")           \
  EVENT(shadow_ended_early, warn, "shadow ended early",                                            \
        "The server ended before the shadow had compared every tick.")                             \
  EVENT(flight_saved, error, "flight saved", "The flight recorder was saved after a divergence.")  \
  EVENT(flight_failed, error, "flight failed", "The flight recorder could not be saved.")          \
  EVENT(counters_session, info, "counters session", "Counters of the session.")                    \
  EVENT(counters_network, info, "counters network", "Counters of datagrams.")                      \
  EVENT(counters_dropped, info, "counters dropped", "Counters of dropped datagrams, by cause.")    \
  EVENT(counters_paths, info, "counters paths", "The worst network path of all clients.")          \
  EVENT(counters_commands, info, "counters commands", "Counters of commands.")                     \
  EVENT(counters_log, info, "counters log", "State of the session log on the disk.")               \
  EVENT(counters_shadow, info, "counters shadow", "Progress of the shadow.")                       \
  EVENT(server_failed, error, "server failed", "The server exits with code 1 or 2.")
// clang-format on

enum class LogEvent : std::uint8_t {
#define ORRERY_EVENT_ID(id, level, name, meaning) id,
  ORRERY_LOG_EVENTS(ORRERY_EVENT_ID)
#undef ORRERY_EVENT_ID
};

struct LogEventInfo {
  LogLevel level;
  std::string_view name;
  std::string_view meaning;  // one sentence
};

// The row of event e is at index e.
inline constexpr auto kLogEvents = std::to_array<LogEventInfo>({
#define ORRERY_EVENT_INFO(id, level, name, meaning) {LogLevel::level, name, meaning},
    ORRERY_LOG_EVENTS(ORRERY_EVENT_INFO)
#undef ORRERY_EVENT_INFO
});

constexpr const LogEventInfo& info_of(LogEvent event) {
  return kLogEvents[static_cast<std::size_t>(event)];
}

}  // namespace orrery::server
