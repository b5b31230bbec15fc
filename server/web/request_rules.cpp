// Decides which HTTP requests the server accepts, and which bytes of a file a request asks for.
#include "server/web/request_rules.h"

#include <algorithm>
#include <charconv>

namespace orrery::server::web {
namespace {

// Reads a decimal number without a sign. Returns nothing if there is anything else in the text.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || stop != end || error != std::errc{}) return std::nullopt;
  return number;
}

bool is_port(std::string_view text) { return number_of<std::uint16_t>(text).has_value(); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

bool is_loopback_host(std::string_view host) {
  for (const std::string_view name : {"127.0.0.1", "[::1]", "localhost"}) {
    if (!host.starts_with(name)) continue;
    const std::string_view rest = host.substr(name.size());
    return rest.empty() || (rest.front() == ':' && is_port(rest.substr(1)));
  }
  return false;
}

bool is_own_origin(std::string_view origin, std::string_view host) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return origin.substr(scheme.size()) == host && !host.empty();
  }
  return false;
}

std::optional<Objection> objection_to(const RequestHead& request, bool development) {
  if (request.hosts != 1 || request.host.empty()) return Objection{400, "no host"};
  if (development && !is_loopback_host(request.host)) return Objection{403, "foreign host"};
  if (request.origin && !is_own_origin(*request.origin, request.host)) {
    return Objection{403, "foreign origin"};
  }
  const bool is_token = request.path == "/v1/token";
  const bool is_ours =
      !request.fetch_site || *request.fetch_site == "same-origin" || *request.fetch_site == "none";
  if (!is_ours && (is_token || log_segment_of(request.path))) {
    return Objection{403, "foreign site"};
  }
  const bool posts = request.method == "POST" && is_token;
  if (request.method == "GET" || request.method == "HEAD" || posts) return std::nullopt;
  return Objection{405, "method not allowed"};
}

std::string_view methods_of(std::string_view path) {
  return path == "/v1/token" ? "GET, HEAD, POST" : "GET, HEAD";
}

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

std::optional<std::string_view> query_value(std::string_view target, std::string_view key) {
  const std::size_t mark = target.find('?');
  std::string_view query = mark == std::string_view::npos ? "" : target.substr(mark + 1);
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == key) {
      return pair.substr(equals + 1);
    }
  }
  return std::nullopt;
}

std::optional<Role> page_role_of(std::string_view name) {
  if (name == "watch") return Role::watch;
  if (name == "play") return Role::play;
  return std::nullopt;
}

std::optional<std::uint32_t> log_segment_of(std::string_view path) {
  constexpr std::string_view kPath = "/v1/log";
  if (path == kPath) return 0;
  if (!path.starts_with(kPath) || path[kPath.size()] != '/') return std::nullopt;
  return number_of<std::uint32_t>(path.substr(kPath.size() + 1));
}

bool accepts_gzip(std::string_view accepted) {
  while (!accepted.empty()) {
    const std::string_view item = accepted.substr(0, accepted.find(','));
    accepted.remove_prefix(std::min(item.size() + 1, accepted.size()));
    const std::string_view name = trimmed(item.substr(0, item.find(';')));
    if (name != "gzip" && name != "*") continue;
    const std::size_t weight = item.find("q=0");
    return weight == std::string_view::npos ||
           item.find_first_of("123456789", weight) != std::string_view::npos;
  }
  return false;
}

std::string content_range(const ByteRange& range, std::uint64_t size) {
  const std::string of = '/' + std::to_string(size);
  if (range.status == 416) return "bytes *" + of;
  return "bytes " + std::to_string(range.first) + '-' +
         std::to_string(range.first + range.size - 1) + of;
}

ByteRange range_of(std::string_view header, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  const ByteRange whole{200, 0, size};
  if (!header.starts_with(kUnit)) return whole;
  const std::string_view range = trimmed(header.substr(kUnit.size()));
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return whole;
  const std::string_view before = range.substr(0, dash);
  const std::string_view after = range.substr(dash + 1);
  const auto first = number_of<std::uint64_t>(before);
  const auto last = number_of<std::uint64_t>(after);
  if ((!before.empty() && !first) || (!after.empty() && !last)) return whole;
  if (!first && !last) return whole;
  if (!first) {
    const std::uint64_t count = std::min(*last, size);
    return count == 0 ? ByteRange{416} : ByteRange{206, size - count, count};
  }
  if (last && *last < *first) return whole;
  if (*first >= size) return {416};
  const std::uint64_t end = last ? std::min(*last, size - 1) : size - 1;
  return {206, *first, end - *first + 1};
}

}  // namespace orrery::server::web
