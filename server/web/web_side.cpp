// Holds the web side of a process: the event loop, and the web server with what it needs, if there
// is one.
#include "server/web/web_side.h"

#include <utility>

#include "common/host/disk/page_folder.h"
#include "common/host/process/clock.h"
#include "common/net/packet/address_text.h"
#include "server/operator/log_line.h"

namespace orrery::server::web {

Result<std::unique_ptr<WebSide>> WebSide::open(const Options& options) {
  const auto address = web_address(options);
  if (!address) return address.error();
  HostRules hosts{.development = options.key_file.empty(), .listed = {}};
  if (options.web_hosts) {
    auto listed = parse_hosts(*options.web_hosts);
    if (!listed) return listed.error().of_option("--web-hosts", " ");
    hosts.listed = std::move(listed.value());
  }
  std::unique_ptr<WebSide> side(new WebSide(std::move(hosts)));
  if (!address.value()) return side;
  auto page = PageFiles::read(host::page_folder());
  if (!page) return page.error().of_option("--web");
  auto server = WebServer::listen(side->context_, *address.value(), std::move(page.value()));
  if (!server) return server.error().of_option("--web", " ");
  side->server_ = std::move(server.value());
  return side;
}

std::optional<net::Address> WebSide::local() const {
  return server_ ? std::optional(server_->local()) : std::nullopt;
}

void WebSide::join(host::UdpBatch& udp) {
  ORRERY_ASSERT(!udp_);
  udp_ = &udp;
  if (server_) joined_.emplace(udp, *server_);
}

void WebSide::serve(const Server& server, const host::LogFile& log, const net::Access& access,
                    const codec::SessionId& session, std::function<std::string()> metrics,
                    OperatorLog& operator_log) {
  if (!server_) return;
  if (!net::is_loopback(server_->local())) {
    log_event(LogEvent::web_exposed, {{"address", net::format_address(server_->local())}});
  }
  view_.emplace(server, log, access, session, hosts_, std::move(metrics), host::monotonic_now());
  server_->serve(*view_, operator_log);
}

void WebSide::begin_ticks() {
  if (server_) server_->begin_other();
}

void WebSide::end_ticks(net::Nanoseconds now) {
  if (view_) view_->observe(now);
  if (server_) server_->end_other();
}

void WebSide::stop() {
  if (server_) server_->stop();
}

}  // namespace orrery::server::web
