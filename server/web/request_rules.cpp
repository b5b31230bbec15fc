// Decides which HTTP requests the server accepts, and which bytes of a file a request asks for.
#include "server/web/request_rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "common/core/printable.h"

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

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_same(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

// A name or address, and a port.
struct Authority {
  std::string_view name;
  std::optional<std::uint16_t> port;  // nothing: the port of the scheme
};

// Reads `name`, `name:` or `name:port`. An IPv6 address is in brackets.
std::optional<Authority> authority_of(std::string_view text) {
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const std::string_view name = text.substr(0, colon);
  if (name.empty() || name.find_first_of("/?#@, ") != std::string_view::npos) return std::nullopt;
  if (colon == std::string_view::npos || colon + 1 == text.size()) return Authority{name, {}};
  const auto port = number_of<std::uint16_t>(text.substr(colon + 1));
  if (!port) return std::nullopt;
  return Authority{name, port};
}

// Returns the text after a scheme of HTTP, and the port of the scheme. Nothing: another text.
struct Address {
  std::string_view rest;
  std::uint16_t port = 0;
};
std::optional<Address> after_scheme(std::string_view text) {
  for (const auto& [scheme, port] : {std::pair<std::string_view, std::uint16_t>{"http://", 80},
                                     std::pair<std::string_view, std::uint16_t>{"https://", 443}}) {
    if (is_same(text.substr(0, scheme.size()), scheme)) {
      return Address{text.substr(scheme.size()), port};
    }
  }
  return std::nullopt;
}

// Returns true if a host is in the list. An entry without a port means every port.
bool is_listed(std::string_view host, const std::vector<std::string>& listed) {
  const auto asked = authority_of(host);
  return asked && std::ranges::any_of(listed, [&](const std::string& each) {
           const auto entry = authority_of(each);
           return is_same(asked->name, entry->name) && (!entry->port || asked->port == entry->port);
         });
}

// A target in the absolute form has the host that the request asks for. The Host header then does
// not count (RFC 9112, section 3.2.2).
std::string_view host_of(const RequestHead& request) {
  const auto address = after_scheme(request.target);
  return address ? address->rest.substr(0, address->rest.find_first_of("/?")) : request.host.value;
}

// Objects to a message if two readers could see another end or another sender in it.
std::optional<Objection> objection_to_form(const RequestHead& request) {
  if (request.coding.count > 0) {
    const bool chunked = request.coding.count == 1 && is_same(request.coding.value, "chunked");
    if (!chunked || request.is_1_0) return Objection{400, "unknown transfer coding"};
  }
  for (const Field& each : {request.host, request.origin, request.fetch_site}) {
    if (each.count > 1) return Objection{400, "repeated field"};
  }
  const bool is_absolute = after_scheme(request.target).has_value();
  const bool has_path = is_absolute || request.target.starts_with('/');
  const bool has_other_form =
      request.target == "*" ? request.method == "OPTIONS" : request.method == "CONNECT";
  if (!has_path && !has_other_form) {
    return Objection{400, "no path"};
  }
  if (request.host.count == 0 && !request.is_1_0) return Objection{400, "no host"};
  const bool has_host = is_absolute || request.host.count > 0;
  if (has_host && !authority_of(host_of(request))) return Objection{400, "no host"};
  return std::nullopt;
}

// Objects to pages that this server does not own.
std::optional<Objection> objection_to_page(const RequestHead& request, const HostRules& rules) {
  const std::string_view host = host_of(request);
  // a request without a host is one of HTTP/1.0, which no browser sends
  const bool named = host.empty() || is_loopback_host(host) || is_listed(host, rules.listed);
  if (!named && (rules.development || !rules.listed.empty())) {
    return Objection{403, "foreign host",
                     "only loopback and the hosts of orreryd --web-hosts are served"};
  }
  if (request.origin.count == 0) return std::nullopt;
  const auto origin = after_scheme(request.origin.value);
  const bool listed = origin && is_listed(origin->rest, rules.listed);
  if (listed || is_own_origin(request.origin.value, host)) return std::nullopt;
  return Objection{403, "foreign origin",
                   "the page has another host than its request; a proxy must pass the Host header, "
                   "or give orreryd --web-hosts with the host in the address of the page"};
}

}  // namespace

bool is_loopback_host(std::string_view host) {
  const auto authority = authority_of(host);
  if (!authority) return false;
  return std::ranges::any_of(std::array<std::string_view, 3>{"127.0.0.1", "[::1]", "localhost"},
                             [&](auto name) { return is_same(authority->name, name); });
}

bool is_own_origin(std::string_view origin, std::string_view host) {
  const auto address = after_scheme(origin);
  if (!address) return false;
  const auto page = authority_of(address->rest);
  const auto asked = authority_of(host);
  return page && asked && is_same(page->name, asked->name) &&
         page->port.value_or(address->port) == asked->port.value_or(address->port);
}

Result<std::vector<std::string>> parse_hosts(std::string_view list) {
  std::vector<std::string> hosts;
  for (bool more = true; more;) {
    const std::string_view entry = list.substr(0, list.find(','));
    more = entry.size() < list.size();
    list.remove_prefix(std::min(entry.size() + 1, list.size()));
    const std::string_view host = trimmed(entry);
    if (!authority_of(host)) {
      return Error{
          "not a host; give names or addresses, with or without "
          "ports, separated by commas: game.example,10.0.0.5:8443"}
          .in(std::string(host));
    }
    hosts.emplace_back(host);
  }
  return hosts;
}

std::optional<Objection> objection_to(const RequestHead& request, const HostRules& rules) {
  if (const auto objection = objection_to_form(request)) return objection;
  if (const auto objection = objection_to_page(request, rules)) return objection;
  const std::string_view path = path_of(request.target);
  const std::string_view site = request.fetch_site.value;
  const bool is_ours = request.fetch_site.count == 0 || site == "same-origin" || site == "none";
  if (!is_ours && (path == "/v1/token" || log_segment_of(path))) {
    return Objection{403, "foreign site"};
  }
  const std::string_view methods = methods_of(path);
  const bool is_known = request.method == "GET" || request.method == "HEAD" ||
                        (request.method == "POST" && methods.ends_with("POST"));
  if (is_known) return std::nullopt;
  return Objection{405, "method not allowed"};
}

std::string_view methods_of(std::string_view path) {
  return path == "/v1/token" || path == "/v1/ws" ? "GET, HEAD, POST" : "GET, HEAD";
}

std::string_view path_of(std::string_view target) {
  if (const auto address = after_scheme(target)) {
    target =
        address->rest.substr(std::min(address->rest.find_first_of("/?"), address->rest.size()));
  }
  const std::string_view path = target.substr(0, target.find('?'));
  return path.empty() ? "/" : path;
}

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

bool asks_for_html(std::string_view accepted) {
  constexpr std::string_view kHtml = "text/html";
  const auto is_same_letter = [](char a, char b) { return lower(a) == b; };
  return std::search(accepted.begin(), accepted.end(), kHtml.begin(), kHtml.end(),
                     is_same_letter) != accepted.end();
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
