// The functions of the C interface that open, step and close a server.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <string>
#include <vector>

#include "client/api/structs.h"
#include "common/core/float_environment.h"
#include "common/core/printable.h"
#include "common/net/packet/address_text.h"
#include "server/api/server_handle.h"
#include "server/options.h"

namespace orrery::api {
namespace {

constexpr std::size_t kRefusalsMax = 4096;  // refusals that wait to be read

std::atomic<bool> is_open{false};  // the process has a server

// Returns the sink of log lines. It lives until the process ends: a thread that still waits for a
// disk may log a line later than the end of its session.
server::OperatorStream& operator_stream() {
  static auto* const stream = new server::OperatorStream(2);
  return *stream;
}

// Parses the arguments as orreryd does.
Result<server::Options> read_options(const char* const* arguments, std::uint32_t count) {
  std::vector<std::string> words = {"orreryd"};
  for (std::uint32_t i = 0; i < count; ++i) {
    if (arguments[i] == nullptr) return Error{"argument " + std::to_string(i) + " is null"};
    words.emplace_back(arguments[i]);
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  const auto parsed = server::parse_command_line(static_cast<int>(argv.size()), argv.data());
  if (!parsed) return parsed.error();
  if (parsed.value().text) return Error{"--help and --version are options of orreryd only"};
  return parsed.value().options;
}

// Opens the session of a new handle. Returns why it fails, and sets the code.
std::string open_session(orrery_server& s, const char* const* arguments, std::uint32_t count,
                         std::int32_t& code) {
  code = ORRERY_FLOAT_MODE;
  if (!float_environment_is_sound()) return kFloatMode;
  code = ORRERY_BAD_ARGUMENT;
  if (arguments == nullptr && count > 0) return "the arguments are null";
  const auto options = read_options(arguments, count);
  if (!options) return options.error().text();
  auto session =
      server::Session::open(options.value(), operator_stream(), s.stop, server::kReserveMax);
  if (!session) return session.error().text();
  s.session = std::move(session.value());
  s.view.view(&s.session->world());
  code = ORRERY_OK;
  return {};
}

// Runs `body(*server)` as guarded() does. After an exception, the server can only be closed.
std::int32_t served(orrery_server* server, auto body) noexcept {
  return guarded(server, [&](orrery_server& s) -> std::int32_t {
    try {
      return body(s);
    } catch (const std::exception& error) {
      s.broken = true;
      return fail(s, ORRERY_NO_MEMORY, "%s; close the server", error.what());
    }
  });
}

// Notes the decisions that the last step refused. `first` is the number of its first decision.
void note_refusals(orrery_server& s, std::uint64_t first) {
  for (const RefusedCommand& command : s.session->server().refusals().refused()) {
    if (command.client != kServer) break;  // the commands of the server come first
    const auto decision = s.session->decision(command.sequence);
    if (!decision) continue;
    ++s.refused;
    if (s.refusals.size() == kRefusalsMax) s.refusals.pop_front();
    s.refusals.push_back({sizeof(orrery_refusal), static_cast<std::int32_t>(command.reason),
                          first + *decision, s.session->world().tick().value});
  }
}

// Ends the session. Returns the code, and writes why it is an error.
std::int32_t end_session(orrery_server& s, char* why, std::uint32_t why_size) {
  if (s.broken) {
    copy_text(s.error, why, why_size);
    return ORRERY_BROKEN;
  }
  const server::Session::End end = s.session->close();
  copy_text(printable(end.why).c_str(), why, why_size);
  if (!end.is_durable) return ORRERY_BAD_LOG;
  return end.agreed ? ORRERY_OK : ORRERY_DIVERGED;
}

// Frees a server, and lets the process open another one.
void free_server(orrery_server* server) {
  delete server;
  constexpr std::chrono::seconds kDrainLimit{1};  // a write to stderr may block forever
  operator_stream().drain(kDrainLimit);
  is_open = false;
}

orrery_server_info describe_server(const orrery_server& s) {
  const server::Session& session = *s.session;
  orrery_server_info info{};
  info.clients = session.server().endpoint().peers().count();
  info.slowed = session.slowed();
  info.decisions = s.decisions;
  info.refused = s.refused;
  copy_text(net::format_address(session.address()).c_str(), info.address, sizeof info.address);
  if (const auto web = session.web()) {
    copy_text(net::format_address(*web).c_str(), info.web, sizeof info.web);
  }
  copy_text(session.log_path().c_str(), info.log, sizeof info.log);
  copy_text(session.key_path().c_str(), info.key, sizeof info.key);
  return info;
}

}  // namespace
}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_server_open(const char* const* arguments, uint32_t arguments_count,
                           orrery_server** server, char* why, uint32_t why_size) {
  return created(server, why, why_size, [&](int32_t& code) -> orrery_server* {
    if (is_open.exchange(true)) {
      copy_text("this process has an open server; close it first", why, why_size);
      code = ORRERY_BUSY;
      return nullptr;
    }
    std::string reason;
    auto made = std::make_unique<orrery_server>();
    try {
      reason = open_session(*made, arguments, arguments_count, code);
    } catch (const std::exception& error) {
      reason = error.what();
      code = ORRERY_NO_MEMORY;
    }
    if (code == ORRERY_OK) return made.release();
    made.reset();
    is_open = false;
    copy_text(orrery::printable(reason).c_str(), why, why_size);
    return nullptr;
  });
}

int32_t orrery_server_wait(orrery_server* server) {
  return served(server, [](orrery_server& s) -> int32_t {
    if (s.session->is_due()) return ORRERY_OK;
    for (;;) {
      const orrery::server::Due due = s.session->wait();
      if (due == orrery::server::Due::tick) return ORRERY_OK;
      if (due == orrery::server::Due::end) return ORRERY_END;
    }
  });
}

int32_t orrery_server_step(orrery_server* server) {
  return served(server, [](orrery_server& s) -> int32_t {
    if (!s.session->is_due()) {
      return fail(s, ORRERY_NOT_READY, "no tick is due: call orrery_server_wait() first");
    }
    if (!orrery::float_environment_is_sound()) {
      return fail(s, ORRERY_FLOAT_MODE, "%s", kFloatMode);
    }
    const std::size_t decisions = s.session->commands().decisions();
    s.session->step();
    s.view.indexed = false;
    if (decisions > 0) note_refusals(s, s.decisions - decisions + 1);
    return ORRERY_OK;
  });
}

int32_t orrery_server_world(orrery_server* server, orrery_world** world) {
  return served(server, [&](orrery_server& s) -> int32_t {
    if (world == nullptr) return fail(s, ORRERY_BAD_ARGUMENT, "world is null");
    *world = &s.view;
    return ORRERY_OK;
  });
}

int32_t orrery_get_server_info(orrery_server* server, orrery_server_info* info) {
  return give(server, info, "info", describe_server);
}

int32_t orrery_server_refusals(orrery_server* server, orrery_refusal* refusals, uint32_t capacity,
                               uint32_t* count) {
  return served(server, [&](orrery_server& s) -> int32_t {
    if (count == nullptr) return fail(s, ORRERY_BAD_ARGUMENT, "count is null");
    *count = 0;
    const int32_t code = check_rows(s, refusals, capacity, "refusal", false);
    if (code != ORRERY_OK) return code;
    if (s.refusals.empty()) return ORRERY_END;
    for (; *count < capacity && !s.refusals.empty(); ++*count) {
      write_struct(Rows(refusals)[*count], s.refusals.front());
      s.refusals.pop_front();
    }
    return ORRERY_OK;
  });
}

int32_t orrery_server_close(orrery_server* server, char* why, uint32_t why_size) {
  copy_text("", why, why_size);
  if (server == nullptr || server->type != orrery_server::kType) return ORRERY_BAD_HANDLE;
  if (server->thread != this_thread()) return ORRERY_WRONG_THREAD;
  int32_t code = ORRERY_NO_MEMORY;
  try {
    code = end_session(*server, why, why_size);
  } catch (const std::exception& error) {
    copy_text(error.what(), why, why_size);
  }
  free_server(server);
  return code;
}

int32_t orrery_server_abandon(orrery_server* server) {
  if (server == nullptr || server->type != orrery_server::kType) return ORRERY_BAD_HANDLE;
  if (server->thread != this_thread()) return ORRERY_WRONG_THREAD;
  free_server(server);
  return ORRERY_OK;
}
