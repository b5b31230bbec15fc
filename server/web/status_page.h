// The page that the server shows while no browser client is installed.
#pragma once

#include <string_view>

namespace orrery::server::web {

inline constexpr std::string_view kStatusPage =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>orreryd</title>\n"
    "<h1>orreryd</h1>\n<p>This server has no page installed. It answers:</p>\n<ul>\n"
    "<li><a href=\"/healthz\">/healthz</a>: 200 while the session is healthy\n"
    "<li><a href=\"/v1/session\">/v1/session</a>: the session\n"
    "<li>/v1/token?role=watch: a connect token, in development mode\n"
    "<li>/v1/log, /v1/log/N: the durable bytes of a segment of the log, in development mode\n"
    "<li>/v1/ws: a WebSocket for clients\n</ul>\n</html>\n";

}  // namespace orrery::server::web
