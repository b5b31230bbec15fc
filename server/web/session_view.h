// Shows the session to the web side: its state as JSON, its health, its counters, and new tokens.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/host/disk/log_file.h"
#include "common/net/gate/gate.h"
#include "common/net/timing.h"
#include "server/server.h"
#include "server/web/request_rules.h"

namespace orrery::server::web {

// The answer to a request for the health of the server.
struct Health {
  bool good = false;
  std::string text;  // JSON
};

// A view of a session for the web side. Only the thread of the loop uses it.
class SessionView {
 public:
  // `session` identifies the session of the log, and `metrics` returns its counters for
  // Prometheus. REQUIRES: all references outlive the view.
  SessionView(const Server& server, const host::LogFile& log, const net::Access& access,
              const codec::SessionId& session, const HostRules& hosts,
              std::function<std::string()> metrics, net::Nanoseconds now);

  // Returns the hosts that the server answers as.
  const HostRules& hosts() const { return hosts_; }
  // Returns true if the server gives a token to every page of this machine.
  bool development() const { return hosts_.development; }

  // Returns a JSON object about the session.
  std::string session_json() const;

  // Returns the counters in the text format of Prometheus.
  std::string metrics() const { return metrics_(); }

  // Returns good health if the server accepts new tokens and makes ticks, the log is neither
  // damaged nor failing, and at most a second of ticks is not on the disk yet.
  Health health(net::Nanoseconds now) const;

  // Returns a token for one connection, valid for net::kTokenLifeSeconds. REQUIRES: development().
  std::vector<std::uint8_t> token(Role role) const;

  // Returns true if a client is connected at this address.
  bool has_client(const net::Address& address) const {
    return server_.endpoint().peers().contains(address);
  }

  // Returns the path of the log.
  const std::string& log_path() const { return log_.path(); }
  // Returns the number of bytes at the start of a segment that are safely on the disk. Returns 0 if
  // there is no such segment, and the largest 64-bit number if the segment is complete on the disk.
  std::uint64_t durable_bytes(std::uint32_t segment) const {
    return session::durable_bytes(log_.state(), segment);
  }

  // Returns the HTTP entity tag of a segment. A segment only grows, so the tag stays the same,
  // until records of the session are removed to save space.
  std::string log_tag(std::uint32_t segment) const;

  // Records the time if the server has made a tick since the last call.
  void observe(net::Nanoseconds now);

 private:
  const Server& server_;
  const host::LogFile& log_;
  const net::Access& access_;
  const std::string session_;  // its id as hexadecimal digits
  const HostRules& hosts_;
  const std::function<std::string()> metrics_;
  const std::uint64_t scene_hash_;
  std::uint64_t tick_;       // newest tick that observe() saw
  net::Nanoseconds ticked_;  // when it first saw this tick
};

}  // namespace orrery::server::web
