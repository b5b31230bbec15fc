// Reads the header of a request of Beast. Only connection.cpp includes it.
#pragma once

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "server/web/reply.h"
#include "server/web/request_rules.h"

namespace orrery::server::web {

// Returns how often a request has a field, and its first value.
inline Field field_of(const http::request<http::string_body>& request,
                      boost::beast::string_view name) {
  return {request.count(name), view_of(request[name])};
}

// Returns true if the client sends the body only after an answer.
inline bool expects_continue(const http::request<http::string_body>& request) {
  return request.version() >= 11 &&
         boost::beast::iequals(request[http::field::expect], "100-continue");
}

// Returns the parts of a request that decide whether it is refused. They are valid as long as the
// request.
inline RequestHead head_of(const http::request<http::string_body>& request) {
  return {.method = view_of(request.method_string()),
          .target = view_of(request.target()),
          .is_1_0 = request.version() < 11,
          .host = field_of(request, "Host"),
          .origin = field_of(request, "Origin"),
          .fetch_site = field_of(request, "Sec-Fetch-Site"),
          .coding = field_of(request, "Transfer-Encoding")};
}

}  // namespace orrery::server::web
