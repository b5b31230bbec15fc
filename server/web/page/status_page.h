// The text that programs get instead of the page, and everybody if no page is installed.
#pragma once

#include <string_view>

namespace orrery::server::web {

#define ORRERY_WEB_PATHS                                                                 \
  "/healthz            200 while the session is healthy\n"                               \
  "/metrics            the counters, for Prometheus\n"                                   \
  "/v1/session         the session, as JSON\n"                                           \
  "/v1/token?role=ROLE a connect token for watch or play, in development mode\n"         \
  "/v1/log, /v1/log/N  the durable bytes of a segment of the log, in development mode\n" \
  "/v1/ws              a WebSocket for clients\n"

inline constexpr std::string_view kStatusWithPage =
    "This is orreryd. Open this address in a browser to see the session. It also "
    "answers:\n\n" ORRERY_WEB_PATHS;
inline constexpr std::string_view kStatusWithoutPage =
    "This is orreryd. No page is installed here. It answers:\n\n" ORRERY_WEB_PATHS;

#undef ORRERY_WEB_PATHS

}  // namespace orrery::server::web
