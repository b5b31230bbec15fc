// Reads the header of a request of Beast. Only connection.cpp includes it.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string_view>

#include "server/web/reply.h"
#include "server/web/request_rules.h"

namespace orrery::server::web {

// Returns the value of a field, or nothing if the request does not have it.
inline std::optional<std::string_view> field_of(const http::request<http::string_body>& request,
                                                boost::beast::string_view name) {
  const auto found = request.find(name);
  return found == request.end() ? std::nullopt : std::optional(view_of(found->value()));
}

// Returns the parts of a request that decide whether it is refused. They are valid as long as the
// request.
inline RequestHead head_of(const http::request<http::string_body>& request) {
  return {.method = view_of(request.method_string()),
          .path = path_of(view_of(request.target())),
          .hosts = request.count(http::field::host),
          .host = view_of(request[http::field::host]),
          .origin = field_of(request, "Origin"),
          .fetch_site = field_of(request, "Sec-Fetch-Site")};
}

}  // namespace orrery::server::web
