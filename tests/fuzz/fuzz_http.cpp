// Fuzzes the web side: bytes, requests of foreign pages, ranges of the log, and WebSocket frames.
//
// The first byte of an input chooses one of five checks, and the second how the rest is cut into
// pieces. Each input has its own connection.
#include <algorithm>
#include <charconv>
#include <optional>
#include <regex>
#include <string>
#include <string_view>

#include "common/net/packet/packet.h"
#include "server/web/request_rules.h"
#include "tests/fuzz/client_frames.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/web_visit.h"

namespace orrery::fuzz {
namespace {

constexpr std::size_t kBytesMax = 6000;  // maximum bytes of an input
constexpr std::string_view kToken = "NETCODE 1.02";
constexpr std::string_view kUpgrade =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";

WebSite& site() {
  static WebSite shared;
  return shared;
}

// An answer to a request, as a client reads it.
struct Answer {
  int status = 0;
  std::string head;  // with the empty line
  std::string body;
};

std::optional<std::string> field_of(const Answer& answer, const std::string& name) {
  const std::size_t at = answer.head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + name.size() + 4;
  return answer.head.substr(begin, answer.head.find("\r\n", begin) - begin);
}

// Reads the only answer in the bytes. `head_only`: the request wanted no body.
Answer only_answer(std::string_view bytes, bool head_only) {
  const std::size_t end = bytes.find("\r\n\r\n");
  ORRERY_ASSERT(bytes.starts_with("HTTP/1.1 ") && end != std::string_view::npos);
  Answer answer{0, std::string(bytes.substr(0, end + 4)), std::string(bytes.substr(end + 4))};
  std::from_chars(bytes.data() + 9, bytes.data() + 12, answer.status);
  if (answer.status == 101) return answer;
  ORRERY_ASSERT(field_of(answer, "Content-Security-Policy") && field_of(answer, "Cache-Control"));
  ORRERY_ASSERT(field_of(answer, "X-Content-Type-Options") == "nosniff");
  const auto size = field_of(answer, "Content-Length");
  ORRERY_ASSERT(size &&
                (head_only ? answer.body.empty() : std::to_string(answer.body.size()) == *size));
  return answer;
}

void send_pieces(WebVisit& visit, std::string_view text, std::size_t piece) {
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    visit.send(text.substr(0, piece));
  }
}

// Returns the answer to one whole request.
Answer ask(bool development, const std::string& request) {
  WebVisit visit(site(), development);
  visit.send(request);
  return only_answer(visit.answer, request.starts_with("HEAD "));
}

bool has_secret(const Answer& answer) {
  return answer.body.find(kToken) != std::string::npos ||
         answer.body.find(site().log_bytes().substr(0, 64)) != std::string::npos;
}

// --- any bytes ---

// Sends any bytes to a server with a key file, which never gives a token or a byte of its log.
void any_bytes(std::string_view text, std::size_t piece) {
  WebVisit visit(site(), false);
  send_pieces(visit, text, piece);
  ORRERY_ASSERT(visit.answer.empty() || visit.answer.starts_with("HTTP/1.1 "));
  ORRERY_ASSERT(!has_secret({0, "", visit.answer}));
}

// --- requests of foreign pages ---

bool is_name_byte(char c) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kOthers.find(c) != std::string_view::npos;
}

// Returns the bytes that a browser may send in a place of a request.
template <class Allowed>
std::string kept(std::string_view text, Allowed allowed) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), allowed);
  return out;
}

bool is_set_by_browsers(std::string name) {
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return name.empty() || name == "host" || name == "origin" || name.starts_with("sec-") ||
         name == "content-length" || name == "transfer-encoding" || name == "connection" ||
         name == "upgrade" || name == "expect";
}

// Takes the text up to a line feed.
std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

// Sends a request as a browser lets a page of another site send it. The text is a byte, a method, a
// target, lines of header, and an empty line before the body. The page must get neither a token nor
// the log. If the browser names the page in the request, it must get nothing at all.
void foreign_page(std::string_view text, std::size_t piece) {
  constexpr std::string_view kNames[] = {
      "Host: 127.0.0.1:4780\r\nOrigin: http://evil.example\r\n",
      "Host: 127.0.0.1:4780\r\nOrigin: http://127.0.0.1:4781\r\n",
      "Host: evil.example:4780\r\nOrigin: http://evil.example:4780\r\n",  // DNS rebinding
      "Host: 127.0.0.1:4780\r\nSec-Fetch-Site: cross-site\r\n"};
  if (text.empty()) return;
  const std::size_t name = static_cast<std::size_t>(text[0]) % 4;
  const bool upgrades = (text[0] & 4) != 0 && name != 3;
  text.remove_prefix(1);
  const std::string method = kept(next_line(text), is_name_byte);
  const std::string target = kept(next_line(text), [](char c) { return c > ' ' && c < '\x7f'; });
  std::string request = (method.empty() ? "GET" : method) + " /" + target + " HTTP/1.1\r\n";
  request.append(kNames[name]).append(upgrades ? kUpgrade : "");
  for (std::string_view line = next_line(text); !line.empty(); line = next_line(text)) {
    const std::string field = kept(line.substr(0, line.find(':')), is_name_byte);
    const std::size_t colon = std::min(line.find(':'), line.size() - 1);  // a line is not empty
    const std::string value = kept(line.substr(colon + 1), [](char c) { return c >= ' '; });
    if (!is_set_by_browsers(field)) request.append(field + ": " + value + "\r\n");
  }
  if (!text.empty()) request += "Content-Length: " + std::to_string(text.size()) + "\r\n";
  request.append("\r\n").append(text);
  WebVisit visit(site(), true);
  send_pieces(visit, request, piece);
  if (visit.answer.empty()) return;  // the body or a piece of the request has not been read
  const Answer answer = only_answer(visit.answer, method == "HEAD");
  ORRERY_ASSERT(!has_secret(answer) && answer.status != 101);
  ORRERY_ASSERT(name == 3 || answer.status >= 400);
}

// --- the end of a request ---

// Sends a request with fields about its body, and another one after its body. There must be two
// answers if the fields say where the body ends: with one `chunked`. Otherwise a proxy could see
// the end elsewhere, so there must be one answer, which refuses.
void one_end(std::string_view text, std::size_t piece) {
  static const std::regex kChunked("[ \t]*chunked[ \t]*", std::regex::icase);
  std::string request = "POST /v1/token HTTP/1.1\r\nHost: localhost\r\n";
  std::size_t lines = 0;
  bool is_chunked = true;
  while (!text.empty() && lines < 9) {
    const std::string value = kept(next_line(text), [](char c) { return c >= ' ' && c < '\x7f'; });
    request += "Transfer-Encoding: " + value + "\r\n";
    is_chunked = std::regex_match(value, kChunked);
    ++lines;
  }
  if (lines == 0) return;
  request += "\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  WebVisit visit(site(), true);
  send_pieces(visit, request, piece);
  const bool two = visit.answer.find("\"healthy\"") != std::string::npos;
  ORRERY_ASSERT(two == (lines == 1 && is_chunked));
  if (!two) ORRERY_ASSERT(only_answer(visit.answer, false).status >= 400);
}

// --- ranges ---

// Returns the range that a header asks for, by the grammar of RFC 9110, or nothing if numbers are
// longer than 18 digits.
std::optional<server::web::ByteRange> expected_range(const std::string& header,
                                                     std::uint64_t size) {
  static const std::regex kLong("[0-9]{19}");
  static const std::regex kRange("bytes= *([0-9]*)-([0-9]*) *");
  if (std::regex_search(header, kLong)) return std::nullopt;
  std::smatch match;
  const server::web::ByteRange whole{200, 0, size};
  if (!std::regex_match(header, match, kRange)) return whole;
  const std::string first = match[1], last = match[2];
  if (first.empty() && last.empty()) return whole;
  const auto number = [](const std::string& digits) { return std::stoull(digits); };
  if (first.empty()) {
    const std::uint64_t count = std::min<std::uint64_t>(number(last), size);
    return count == 0 ? server::web::ByteRange{416, 0, 0}
                      : server::web::ByteRange{206, size - count, count};
  }
  if (!last.empty() && number(last) < number(first)) return whole;
  if (number(first) >= size) return server::web::ByteRange{416, 0, 0};
  const std::uint64_t end =
      last.empty() ? size - 1 : std::min<std::uint64_t>(number(last), size - 1);
  return server::web::ByteRange{206, number(first), end - number(first) + 1};
}

// Asks for a range of the log. The answer has exactly these bytes of the file.
void range_of_log(std::string_view text) {
  std::string header = kept(text, [](char c) { return c >= ' ' && c < '\x7f'; });
  header.erase(0, header.find_first_not_of(' '));
  header.erase(header.find_last_not_of(' ') + 1);
  if (header.size() > 4000) return;
  const std::string_view log = site().log_bytes();
  const Answer answer =
      ask(true, "GET /v1/log HTTP/1.1\r\nHost: localhost\r\nRange: " + header + "\r\n\r\n");
  const auto expected = expected_range(header, log.size());
  if (!expected) return;
  ORRERY_ASSERT(answer.status == static_cast<int>(expected->status));
  ORRERY_ASSERT(answer.body == log.substr(expected->first, expected->size));
  const std::string of = "/" + std::to_string(log.size());
  const std::string part =
      std::to_string(expected->first) + "-" + std::to_string(expected->first + expected->size - 1);
  const auto stated = field_of(answer, "Content-Range");
  ORRERY_ASSERT(answer.status == 200   ? !stated
                : answer.status == 206 ? stated == "bytes " + part + of
                                       : stated == "bytes *" + of);
}

// --- frames ---

// Checks the frames of the server: its packets in order, some pongs in the order of the pings, and
// perhaps a close at the end.
void check_frames(std::string_view bytes, const ClientFrames& sent, std::size_t packets) {
  Frame frame;
  std::size_t said = 0;
  auto ping_left = sent.pings.begin();
  bool closed = false;
  while (next_frame(bytes, frame)) {
    ORRERY_ASSERT(frame.final && !frame.reserved && !frame.masked && frame.minimal && !closed);
    ORRERY_ASSERT(frame.data.size() == frame.size);
    closed = frame.opcode == close;
    if (frame.opcode == binary) {
      ORRERY_ASSERT(frame.data == std::string(200, static_cast<char>(said++)));
    } else if (frame.opcode == pong) {
      ping_left = std::find(ping_left, sent.pings.end(), frame.data);
      ORRERY_ASSERT(ping_left != sent.pings.end());
      ++ping_left;
    } else {
      ORRERY_ASSERT(closed && frame.size <= 125);
    }
  }
  ORRERY_ASSERT(bytes.empty() && said <= packets);
}

// Returns the messages that the server admits: those before the first connect request that exceeds
// the limit.
std::vector<std::vector<std::uint8_t>> admitted(std::vector<std::vector<std::uint8_t>> messages) {
  int requests = 0;
  const auto end = std::find_if(messages.begin(), messages.end(), [&](const auto& message) {
    const bool is_request = !message.empty() && message[0] == 0;
    return is_request && ++requests > limits::kWebConnectRequestsMax;
  });
  messages.erase(end, messages.end());
  return messages;
}

// Sends bytes after an upgrade. The server receives exactly the messages of the valid frames.
void frames(std::string_view text, std::size_t piece) {
  WebVisit visit(site(), true);
  visit.send("GET /v1/ws HTTP/1.1\r\nHost: localhost\r\n" + std::string(kUpgrade) + "\r\n");
  const std::size_t head = visit.answer.size();
  ORRERY_ASSERT(visit.answer.starts_with("HTTP/1.1 101 ") && visit.answer.ends_with("\r\n\r\n"));
  std::size_t packets = 0;
  const ClientFrames sent(text, net::kPacketBytesMax);
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    visit.send(text.substr(0, piece));
    const std::vector<std::uint8_t> packet(200, static_cast<std::uint8_t>(packets++));
    visit.say(packet);
  }
  const auto expected = admitted(sent.messages);
  ORRERY_ASSERT(visit.messages == expected);
  check_frames(std::string_view(visit.answer).substr(head), sent, packets);
}

// Proves that the checks can fail: an own page gets a token, the log, and a WebSocket.
bool secrets_are_seen() {
  const std::string own = "Host: 127.0.0.1:4780\r\nOrigin: http://127.0.0.1:4780\r\n";
  ORRERY_ASSERT(has_secret(ask(true, "GET /v1/token HTTP/1.1\r\n" + own + "\r\n")));
  ORRERY_ASSERT(has_secret(ask(true, "GET /v1/log HTTP/1.1\r\n" + own + "\r\n")));
  const std::string upgrade = own + std::string(kUpgrade) + "\r\n";
  ORRERY_ASSERT(ask(true, "GET /v1/ws HTTP/1.1\r\n" + upgrade).status == 101);
  ORRERY_ASSERT(ask(false, "GET /v1/token HTTP/1.1\r\n" + own + "\r\n").status == 403);
  return true;
}

void one_input(std::string_view input) {
  static const bool sound = secrets_are_seen();
  if (!sound || input.size() < 2) return;
  const std::size_t piece = static_cast<std::uint8_t>(input[1]) == 0
                                ? kBytesMax
                                : std::size_t{4} * static_cast<std::uint8_t>(input[1]);
  const std::string_view text = input.substr(2, kBytesMax);
  switch (static_cast<std::uint8_t>(input[0]) % 5) {
    case 4:
      return one_end(text, piece);
    case 0:
      return any_bytes(text, piece);
    case 1:
      return foreign_page(text, piece);
    case 2:
      return range_of_log(text);
    default:
      return frames(text, piece);
  }
}

}  // namespace
}  // namespace orrery::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orrery::fuzz::one_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
