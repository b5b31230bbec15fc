// Speaks HTTP/1.1 and WebSocket with Boost.Beast.
#include <string>
#include <utility>

#include "common/core/limits.h"
#include "common/host/disk/log_segments.h"
#include "common/net/packet/packet.h"
#include "server/web/beast_connection.h"
#include "server/web/message_frame.h"
#include "server/web/page/status_page.h"
#include "server/web/request_head.h"
#include "server/web/request_rules.h"

namespace orrery::server::web {
namespace {

constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr std::string_view kMetrics = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kBinary = "application/octet-stream";
constexpr std::string_view kNoStore = "no-store";

bool is_request(Bytes message) {
  return !message.empty() && message[0] == static_cast<std::uint8_t>(net::PacketType::request);
}

}  // namespace

void BeastConnection::read_request() {
  parser_.emplace();
  parser_->header_limit(limits::kWebHeaderBytesMax);
  parser_->body_limit(limits::kWebBodyBytesMax);
  http::async_read_header(
      wire_, buffer_, *parser_,
      guarded([this](const error_code& error, std::size_t) { on_header(error); }));
}

// Reads the body. No route needs one, so a client that waits with it gets its answer at once
// (Expect: 100-continue; RFC 9110, section 10.1.1).
void BeastConnection::on_header(const error_code& error) {
  if (error || parser_->is_done() || expects_continue(parser_->get())) return on_request(error);
  http::async_read(wire_, buffer_, *parser_,
                   guarded([this](const error_code& end, std::size_t) { on_request(end); }));
}

void BeastConnection::on_request(const error_code& error) {
  reply_.begin(false, false);
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return refuse(http::status::request_header_fields_too_large, "header too large");
  }
  if (error == http::error::body_limit) {
    return refuse(http::status::payload_too_large, "body too large");
  }
  if (error.category() == http::make_error_code(http::error::bad_method).category() &&
      error != http::error::end_of_stream && error != http::error::partial_message) {
    return refuse(http::status::bad_request, "malformed request");
  }
  if (error) return close(false);
  const Request& request = parser_->get();
  const bool is_whole = parser_->is_done() && request.body().empty();
  reply_.begin(place_ == Place::any && request.keep_alive() && is_whole,
               request.method() == http::verb::head);
  expect("response", limits::kWebIdleSeconds);
  if (const auto objection = objection_to(head_of(request), shared_.view.hosts())) {
    return refuse(static_cast<http::status>(objection->status), objection->reason,
                  objection->advice);
  }
  route(request);
}

void BeastConnection::route(const Request& request) {
  const std::string_view path = path_of(view_of(request.target()));
  if (path == "/healthz") {
    Health health = shared_.view.health(host::monotonic_now());
    const auto status = health.good ? http::status::ok : http::status::service_unavailable;
    return respond(status, kJson, std::move(health.text));
  }
  if (place_ == Place::health) {
    return refuse(http::status::service_unavailable, "too many connections", "try again later");
  }
  if (path == "/v1/ws") {
    if (websocket::is_upgrade(request)) return upgrade();
    return refuse(http::status::upgrade_required, "not a WebSocket",
                  "a proxy must pass the headers Upgrade and Connection");
  }
  if (path == "/v1/session") {
    return respond(http::status::ok, kJson, shared_.view.session_json());
  }
  if (path == "/metrics") return respond(http::status::ok, kMetrics, shared_.view.metrics());
  const bool is_token = path == "/v1/token";
  const auto segment = log_segment_of(path);
  if ((is_token || segment) && !shared_.view.development()) {
    return refuse(http::status::forbidden, "only in development mode");
  }
  if (is_token) return send_token(request);
  if (segment) return send_log(request, *segment);
  send_page(request);
}

void BeastConnection::send_page(const Request& request) {
  const std::string_view path = path_of(view_of(request.target()));
  const PageFile* const file = shared_.page.find(path);
  const bool is_program = !asks_for_html(view_of(request[http::field::accept]));
  if (path == "/" && (!file || is_program)) {
    reply_.set(http::status::ok, kText, "no-cache").set(http::field::vary, "Accept");
    return send(file ? kStatusWithPage : kStatusWithoutPage);
  }
  if (!file) return refuse(http::status::not_found, "no such path");
  const bool packed =
      !file->gzip.empty() && accepts_gzip(view_of(request[http::field::accept_encoding]));
  auto& header = reply_.set(http::status::ok, file->type,
                            file->immutable ? "public, max-age=31536000, immutable" : "no-cache");
  if (packed) header.set(http::field::content_encoding, "gzip");
  header.set(http::field::vary, path == "/" ? "Accept, Accept-Encoding" : "Accept-Encoding");
  send(packed ? file->gzip : file->bytes);
}

void BeastConnection::send_token(const Request& request) {
  const auto name = query_value(view_of(request.target()), "role").value_or("watch");
  const auto role = page_role_of(name);
  if (!role) return refuse(http::status::bad_request, "role is not watch or play");
  const auto token = shared_.view.token(*role);
  respond(http::status::ok, kBinary, {token.begin(), token.end()});
}

void BeastConnection::send_log(const Request& request, std::uint32_t segment) {
  const std::uint64_t durable = shared_.view.durable_bytes(segment);
  if (durable == 0) return refuse(http::status::not_found, "no such segment");
  auto place = shared_.readers.take_place();
  if (!place) return refuse(http::status::service_unavailable, "too many readers of the log");
  // a range is defined for GET only (RFC 9110, section 14.2)
  std::string range;
  if (request.method() == http::verb::get) range = view_of(request[http::field::range]);
  const std::string_view if_range = view_of(request[http::field::if_range]);
  if (!if_range.empty() && if_range != shared_.view.log_tag(segment)) range.clear();
  log_ = std::make_shared<LogBody>(shared_.context, shared_.readers.threads(), std::move(place));
  log_->open(host::segment_path(shared_.view.log_path(), segment),
             [self = shared_from_this(), durable, range, segment](std::uint64_t size) {
               if (self->state_ == State::closed) return;
               const auto meter = self->wire_.meter();
               self->wire_.charge(self->log_->take_work());
               self->on_log(std::min(size, durable), range, segment);
             });
}

void BeastConnection::on_log(std::uint64_t size, const std::string& range, std::uint32_t segment) {
  if (size == 0) return refuse(http::status::not_found, "no such segment");
  const ByteRange part = range_of(range, size);
  auto& header = reply_.set(static_cast<http::status>(part.status), kBinary, kNoStore);
  header.set(http::field::etag, shared_.view.log_tag(segment));
  header.set(http::field::accept_ranges, "bytes");
  if (part.status != 200) header.set(http::field::content_range, content_range(part, size));
  log_->select(part.first, part.size);
  reply_.write_header(part.size, guarded([this](const error_code& error, std::size_t) {
                        if (error) return close(false);
                        reply_.head_only() ? responded() : send_chunk();
                      }));
}

void BeastConnection::send_chunk() {
  if (log_->left() == 0) return responded();
  log_->read([self = shared_from_this()](Bytes bytes) {
    if (self->state_ == State::closed) return;
    const auto meter = self->wire_.meter();
    self->wire_.charge(self->log_->take_work());
    if (bytes.empty()) return self->close(false);  // the file was cut or cannot be read
    self->expect_reader(bytes.size());
    self->reply_.write_body(bytes.data(), bytes.size(),
                            self->guarded([self](const error_code& error, std::size_t) {
                              error ? self->close(false) : self->send_chunk();
                            }));
  });
}

// Refuses a request. Closes the connection after the answer: the bytes that follow a refused
// request may not be a request.
void BeastConnection::refuse(http::status status, std::string_view reason,
                             std::string_view advice) {
  shared_.refused(address_, reason);
  reply_.begin(false, reply_.head_only());
  std::string text(reason);
  if (!advice.empty()) text.append(": ").append(advice);
  respond(status, kText, text + '\n');
}

void BeastConnection::respond(http::status status, std::string_view type, std::string body) {
  auto& header = reply_.set(status, type, kNoStore);
  if (status == http::status::method_not_allowed) {
    const auto methods = methods_of(path_of(view_of(parser_->get().target())));
    header.set(http::field::allow, {methods.data(), methods.size()});
  } else if (status == http::status::upgrade_required) {
    header.set(http::field::upgrade, "websocket");
    header.set(http::field::connection, "upgrade");
  }
  send(reply_.keep(std::move(body)));
}

// Sends the header in reply_ and a body. REQUIRES: the body lives until it is sent.
void BeastConnection::send(std::string_view body) {
  expect_reader(body.size());
  reply_.write(body, guarded([this](const error_code& error, std::size_t) {
                 error ? close(false) : responded();
               }));
}

void BeastConnection::responded() {
  log_.reset();
  if (!reply_.keeps()) return end();
  expect("next request", limits::kWebIdleSeconds);
  read_request();
}

void BeastConnection::upgrade() {
  if (buffer_.size() != 0) return refuse(http::status::bad_request, "data before the upgrade");
  state_ = State::upgrading;
  socket_.emplace(wire_);
  socket_->read_message_max(net::kPacketBytesMax);
  socket_->binary(true);
  socket_->async_accept(parser_->get(), guarded([this](const error_code& error) {
                          if (error) return end();
                          state_ = State::websocket;
                          expect("client", limits::kWebIdleSeconds);
                          read_message();
                        }));
}

void BeastConnection::read_message() {
  reads_ = true;
  // If the last message came without a read, more may wait in the buffer of Beast.
  const bool buffered = wire_.reads() == reads_at_message_;
  reads_at_message_ = wire_.reads();
  const auto read = [this] {
    socket_->async_read(message_, guarded([this](const error_code& error, std::size_t) {
                          reads_ = false;
                          on_message(error);
                        }));
  };
  if (!buffered) return read();
  wire_.ask([self = shared_from_this(), read] {
    if (self->state_ == State::websocket) read();
  });
}

void BeastConnection::on_message(const error_code& error) {
  if (state_ != State::websocket) return;
  if (error) {
    const bool ended = error == websocket::error::closed || error == asio::error::eof ||
                       error == asio::error::connection_reset;
    if (!ended) shared_.refused(address_, "malformed or large frame");
    leave_socket();
    return end();
  }
  if (!socket_->got_binary()) return end_socket(websocket::close_code::unknown_data, "text frame");
  const Bytes message(static_cast<const std::uint8_t*>(message_.data().data()), message_.size());
  if (!admits(message)) return end_socket(websocket::close_code::policy_error, "many requests");
  ++messages_waiting_;
  shared_.received(address_, message);
  message_.clear();
  if (messages_waiting_ < limits::kWebMessagesWaitingMax) read_message();
}

// Returns false if the message is one connect request too many since the WebSocket last had a
// client. Extends the deadline only while a client is connected. A WebSocket without a client
// therefore ends.
bool BeastConnection::admits(Bytes message) {
  if (shared_.view.has_client(address_)) {
    requests_ = 0;
    expect("message", limits::kWebIdleSeconds);
  }
  return !is_request(message) || ++requests_ <= limits::kWebConnectRequestsMax;
}

void BeastConnection::took_message() {
  if (messages_waiting_ > 0) --messages_waiting_;
  if (state_ == State::websocket && !reads_) read_message();
}

void BeastConnection::append(Bytes packets, std::size_t size) {
  if (state_ != State::websocket) return;
  for (; !packets.empty(); packets = packets.subspan(std::min(size, packets.size()))) {
    const Bytes packet = packets.first(std::min(size, packets.size()));
    const std::size_t bytes = packet.size() + FrameHeader::kBytesMax;
    if (wire_.waiting() + bytes > limits::kWebQueueBytesMax) return;
    wire_.append(FrameHeader(packet.size()).bytes());
    wire_.append(packet);
  }
}

// Closes a WebSocket that sent text, or too many connect requests.
void BeastConnection::end_socket(websocket::close_code code, std::string_view reason) {
  shared_.refused(address_, reason);
  leave_socket();
  expect("close", limits::kWebRequestSeconds);
  socket_->async_close({code, {reason.data(), reason.size()}},
                       guarded([this](const error_code&) { close(false); }));
}

// Reports that the WebSocket is over. The server then frees the client's slot.
void BeastConnection::leave_socket() {
  state_ = State::ending;
  shared_.left(address_, false);
}

void BeastConnection::stop() {
  if (state_ != State::websocket) return;
  wire_.append(kGoingAway);
  wire_.flush();
}

// Ends the output, and reads until the other side ends too, or has sent too much. Closing a socket
// with unread input would reset the connection, and the other side could lose the answer.
void BeastConnection::end() {
  state_ = State::ending;
  expect("end", limits::kWebRequestSeconds);
  wire_.end_output();
  drain();
}

void BeastConnection::drain() {
  buffer_.clear();
  wire_.async_read_some(buffer_.prepare(limits::kWebHeaderBytesMax),
                        guarded([this](const error_code& error, std::size_t bytes) {
                          drained_ += bytes;
                          error || drained_ > limits::kWebDrainBytesMax ? close(false) : drain();
                        }));
}

void BeastConnection::check(net::Nanoseconds now) {
  // While this side does not read, a message may wait in the kernel. The silence is then not the
  // client's fault.
  const bool reads = state_ != State::websocket || reads_;
  if (!reads && shared_.view.has_client(address_)) expect("message", limits::kWebIdleSeconds);
  const bool stalled = wire_.is_stalled(now);
  if (!stalled && now <= deadline_) return;
  if (state_ != State::ending) {
    shared_.refused(address_, stalled ? "takes no bytes" : awaited_);
  }
  close(stalled);
}

void BeastConnection::close(bool stalled) {
  if (state_ == State::closed) return;
  if (state_ == State::websocket) shared_.left(address_, stalled);
  state_ = State::closed;
  if (log_) log_->cancel();
  wire_.close();
  shared_.closed(address_);
}

std::shared_ptr<Connection> Connection::start(tcp::socket socket, const net::Address& address,
                                              const Shared& shared, Place place) {
  auto connection = std::make_shared<BeastConnection>(std::move(socket), address, shared, place);
  connection->start();
  return connection;
}

}  // namespace orrery::server::web
