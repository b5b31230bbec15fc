// Writes the answers to HTTP requests. Only connection.cpp and its parts include it.
#pragma once

#include <boost/asio/write.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/write.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/web/wire.h"

namespace orrery::server::web {

namespace http = boost::beast::http;

// Returns a text of Beast as one of the standard library.
inline std::string_view view_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

// The answer to a request: a header, and a body. One answer is written at a time.
class Reply {
 public:
  explicit Reply(Wire& wire) : wire_(wire) {}

  // Begins an answer. `keeps`: the connection stays open after it. `head_only`: the request wants
  // no body.
  void begin(bool keeps, bool head_only) {
    keeps_ = keeps;
    head_only_ = head_only;
  }
  bool keeps() const { return keeps_; }
  bool head_only() const { return head_only_; }

  // Sets the header, and returns it so that the caller can add fields.
  http::response<http::empty_body>& set(http::status status, std::string_view type,
                                        std::string_view cache) {
    constexpr const char* kContentPolicy =
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; frame-ancestors 'none'; "
        "base-uri 'none'; form-action 'none'";
    header_ = {};
    header_.result(status);
    header_.set(http::field::server, "orreryd");
    header_.set(http::field::content_type, {type.data(), type.size()});
    header_.set(http::field::cache_control, {cache.data(), cache.size()});
    header_.set("Content-Security-Policy", kContentPolicy);
    header_.set("X-Content-Type-Options", "nosniff");
    header_.set("Referrer-Policy", "no-referrer");
    header_.set("Cross-Origin-Resource-Policy", "same-origin");
    return header_;
  }

  // Writes the header for a body of this size. Calls `next` with the result.
  template <class Next>
  void write_header(std::uint64_t body_bytes, Next next) {
    header_.content_length(body_bytes);
    header_.keep_alive(keeps_);
    serializer_.emplace(header_);
    http::async_write_header(wire_, *serializer_, std::move(next));
  }

  // Writes bytes of the body. Calls `next` with the result. REQUIRES: the bytes live until then.
  template <class Next>
  void write_body(const void* bytes, std::size_t size, Next next) {
    asio::async_write(wire_, asio::buffer(bytes, size), std::move(next));
  }

  // Keeps a body alive until the next answer. Returns a view of it.
  std::string_view keep(std::string body) {
    body_ = std::move(body);
    return body_;
  }

 private:
  Wire& wire_;
  bool keeps_ = false;
  bool head_only_ = false;
  http::response<http::empty_body> header_;
  std::optional<http::response_serializer<http::empty_body>> serializer_;
  std::string body_;
};

}  // namespace orrery::server::web
