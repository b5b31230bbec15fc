// Declares a connection that speaks with Boost.Beast. Only connection.cpp includes it.
#pragma once

#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/core/limits.h"
#include "server/web/connection.h"
#include "server/web/log_body.h"
#include "server/web/reply.h"
#include "server/web/wire.h"

namespace orrery::server::web {

namespace beast = boost::beast;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;

// A connection with its state. connection.cpp has its functions in the order in which they run.
class BeastConnection final : public Connection,
                              public std::enable_shared_from_this<BeastConnection> {
 public:
  BeastConnection(tcp::socket socket, const net::Address& address, const Shared& shared,
                  Place place)
      : shared_(shared), address_(address), place_(place), wire_(std::move(socket), shared.turns) {}

  void start() {
    wire_.belong_to(weak_from_this());
    expect("request", limits::kWebRequestSeconds);
    read_request();
  }

  void append(Bytes packets, std::size_t size) override;
  void flush() override { wire_.flush(); }
  bool is_clear() const override { return wire_.is_clear(); }
  Use use() const override {
    if (state_ == State::ending) return Use::ends;
    const bool is_client = state_ == State::websocket && shared_.view.has_client(address_);
    return is_client ? Use::client : Use::open;
  }
  void took_message() override;
  void check(net::Nanoseconds now) override;
  void close() override { close(false); }
  void stop() override;

 private:
  using Request = http::request<http::string_body>;
  enum class State { http, upgrading, websocket, ending, closed };

  // Returns a handler that keeps the connection alive, and does nothing if the connection was
  // closed meanwhile.
  auto guarded(auto function) {
    return [self = shared_from_this(), function](const error_code& error, auto... more) mutable {
      const auto meter = self->wire_.meter();
      if (self->state_ != State::closed) function(error, more...);
    };
  }

  void expect(const char* what, std::uint32_t seconds) {
    awaited_ = what;
    deadline_ = host::monotonic_now() + seconds * net::kSecond;
  }
  void expect_reader(std::size_t bytes) {
    expect("reader", limits::kWebIdleSeconds +
                         static_cast<std::uint32_t>(bytes / limits::kWebReaderBytesPerSecond));
  }

  void read_request();
  void on_header(const error_code& error);
  void on_request(const error_code& error);
  void route(const Request& request);
  void send_page(const Request& request);
  void send_token(const Request& request);
  void send_log(const Request& request, std::uint32_t segment);
  void on_log(std::uint64_t size, const std::string& range, std::uint32_t segment);
  void send_chunk();

  void refuse(http::status status, std::string_view reason, std::string_view advice = {});
  void respond(http::status status, std::string_view type, std::string body);
  void send(std::string_view body);
  void responded();

  void upgrade();
  void read_message();
  void on_message(const error_code& error);
  bool admits(Bytes message);
  void end_socket(websocket::close_code code, std::string_view reason);
  void leave_socket();
  void end();
  void drain();
  void close(bool stalled);

  const Shared& shared_;
  const net::Address address_;
  const Place place_;
  Wire wire_;
  State state_ = State::http;
  const char* awaited_ = "";  // the event that is due before the deadline
  net::Nanoseconds deadline_ = 0;
  beast::flat_buffer buffer_{2 * limits::kWebHeaderBytesMax};
  std::optional<http::request_parser<http::string_body>> parser_;
  Reply reply_{wire_};
  std::shared_ptr<LogBody> log_;  // body of an answer from the log
  std::optional<websocket::stream<Wire&, false>> socket_;
  beast::flat_buffer message_;
  std::size_t messages_waiting_ = 0;
  int requests_ = 0;                    // connect requests since the WebSocket last had a client
  std::size_t drained_ = 0;             // bytes that were read after the end
  bool reads_ = false;                  // a message is being read
  std::uint64_t reads_at_message_ = 0;  // reads of the wire before the last message
};

}  // namespace orrery::server::web
