// Holds the web side of a process: the event loop, and the web server with what it needs, if there
// is one.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "common/core/result.h"
#include "server/options.h"
#include "server/web/request_rules.h"
#include "server/web/session_view.h"
#include "server/web/web_network.h"
#include "server/web/web_server.h"

namespace orrery::server::web {

// The web side. With `--web off` it has only the event loop.
class WebSide {
 public:
  // Opens the TCP socket and reads the page. An Error names the option.
  static Result<std::unique_ptr<WebSide>> open(const Options& options);

  // Returns the event loop of the process.
  boost::asio::io_context& context() { return context_; }
  // Returns the address of the web server, or nothing if there is none.
  std::optional<net::Address> local() const;

  // Adds the WebSockets to a UDP socket. REQUIRES: called once, before network() and datagrams();
  // the socket outlives the web side.
  void join(host::UdpBatch& udp);
  // Return the network for the server: UDP, and WebSockets if there is a web server.
  net::NetEnvironment& network() {
    return joined_ ? static_cast<net::NetEnvironment&>(*joined_) : *udp_;
  }
  net::DatagramSource& datagrams() {
    return joined_ ? static_cast<net::DatagramSource&>(*joined_) : *udp_;
  }

  // Accepts connections from now on. `metrics` returns the answer to /metrics. REQUIRES: called
  // once; the references outlive every later call.
  void serve(const Server& server, const host::LogFile& log, const net::Access& access,
             const codec::SessionId& session, std::function<std::string()> metrics,
             OperatorLog& operator_log);
  // Surround the ticks and polls of the server. Between them, the web side may use a limited part
  // of the processor. end_ticks() also notes whether the server has made a tick, for /healthz.
  void begin_ticks();
  void end_ticks(net::Nanoseconds now);
  // Says goodbye to all WebSockets, without closing them. REQUIRES: no other call follows.
  void stop();

 private:
  explicit WebSide(HostRules hosts) : hosts_(std::move(hosts)) {}

  const HostRules hosts_;
  boost::asio::io_context context_{1};
  std::unique_ptr<WebServer> server_;
  host::UdpBatch* udp_ = nullptr;
  std::optional<WebNetwork> joined_;
  std::optional<SessionView> view_;
};

}  // namespace orrery::server::web
