// Writes the answers to HTTP requests. Only connection.cpp and its parts include it.
#pragma once

#include <array>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/serializer.hpp>
#include <cstdint>
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

  // Writes the header, and the body unless the request wants none. Calls `next` with the result.
  // REQUIRES: the body lives until then.
  void write(std::string_view body, auto next) {
    make_header(body.size());
    const std::string_view sent = head_only_ ? std::string_view() : body;
    const std::array<asio::const_buffer, 2> buffers = {asio::buffer(text_), asio::buffer(sent)};
    asio::async_write(wire_, buffers, std::move(next));
  }

  // Writes the header for a body of this size. Calls `next` with the result.
  void write_header(std::uint64_t body_bytes, auto next) {
    make_header(body_bytes);
    asio::async_write(wire_, asio::buffer(text_), std::move(next));
  }

  // Writes bytes of the body. Calls `next` with the result. REQUIRES: the bytes live until then.
  void write_body(const void* bytes, std::size_t size, auto next) {
    asio::async_write(wire_, asio::buffer(bytes, size), std::move(next));
  }

  // Keeps a body alive until the next answer. Returns a view of it.
  std::string_view keep(std::string body) {
    body_ = std::move(body);
    return body_;
  }

 private:
  // Makes the text of the header.
  void make_header(std::uint64_t body_bytes) {
    header_.content_length(body_bytes);
    header_.keep_alive(keeps_);
    text_.clear();
    http::response_serializer<http::empty_body> serializer(header_);
    boost::system::error_code ignored;  // nothing can fail without a body
    serializer.next(ignored, [this](auto&, const auto& buffers) {
      text_ = boost::beast::buffers_to_string(buffers);
    });
  }

  Wire& wire_;
  bool keeps_ = false;
  bool head_only_ = false;
  http::response<http::empty_body> header_;
  std::string text_;  // of the header
  std::string body_;
};

}  // namespace orrery::server::web
