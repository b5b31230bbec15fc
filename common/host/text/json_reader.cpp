// Reads JSON into a tree whose values know their places. PEGTL parses the text.
#include "common/host/text/json_reader.h"

#include <algorithm>
#include <cstdlib>
#include <tao/pegtl.hpp>
#include <tao/pegtl/contrib/unescape.hpp>
#include <utility>

#include "common/core/assert.h"
#include "common/core/printable.h"

namespace orrery::json {

namespace pegtl = tao::pegtl;

constexpr std::size_t kDepthMax = 64;  // of objects and lists in each other

namespace {

using Node = Document::Node;

// The state of the parser. Each function is called with the text of a rule that has matched.
struct Builder {
  const char* text;
  std::vector<Node> nodes = {};
  std::vector<std::string> unescaped = {};
  std::vector<std::uint32_t> open = {};  // the objects and lists around the current place
  std::string characters = {};           // of the current string, without its escapes

  void add(Kind kind, const char* begin, const char* end) {
    const auto next = static_cast<std::uint32_t>(nodes.size() + 1);
    nodes.push_back({kind, static_cast<std::uint32_t>(begin - text),
                     static_cast<std::uint32_t>(end - text), next, 0});
  }
  void word(const char* begin, const char* end) { add(Kind::word, begin, end); }
  void string(const char* begin, const char* end) {
    add(Kind::string, begin, end);
    if (characters.size() + 2 != static_cast<std::size_t>(end - begin)) {
      unescaped.push_back(characters);
      nodes.back().unescaped = static_cast<std::uint32_t>(unescaped.size());
    }
    characters.clear();
  }
  template <Kind kKind>
  void begin(const char* begin, const char* end) {
    open.push_back(static_cast<std::uint32_t>(nodes.size()));
    add(kKind, begin, end);
  }
  void end(const char*, const char* end) {
    nodes[open.back()].end = static_cast<std::uint32_t>(end - text);
    nodes[open.back()].next = static_cast<std::uint32_t>(nodes.size());
    open.pop_back();
  }
};

namespace grammar {

using namespace tao::pegtl;

struct end_of_comment : until<string<'*', '/'>> {};
struct comment : sor<seq<two<'/'>, until<eolf>>, seq<string<'/', '*'>, end_of_comment>> {};
struct blank : sor<one<' ', '\t', '\r', '\n'>, comment> {};
struct blanks : star<blank> {};

struct mark : one<'{', '}', '[', ']', ',', ':', '"', '\'', '/'> {};
struct word : plus<not_at<mark>, range<'!', '~'>> {};

struct letter : one<'"', '\'', '\\', '/', 'b', 'f', 'n', 'r', 't'> {};
struct code_points : list<seq<one<'u'>, rep<4, xdigit>>, one<'\\'>> {};
struct escape : sor<code_points, letter> {};
template <char kQuote>
struct plain : plus<not_at<range<'\0', '\x1f'>>, not_one<kQuote, '\\'>> {};
template <char kQuote>
struct closing : one<kQuote> {};
template <char kQuote>
struct string_in
    : seq<one<kQuote>, star<sor<plain<kQuote>, seq<one<'\\'>, escape>>>, closing<kQuote>> {};

struct value;
struct key : sor<string_in<'"'>, string_in<'\''>, word> {};
struct colon : one<':'> {};
struct wanted_value : sor<value> {};
struct member : seq<key, blanks, colon, blanks, wanted_value> {};
// Items with commas between them, and perhaps one after the last. `Item` also matches nothing
// before the end.
template <class Item>
struct listed : seq<blanks, Item, star<one<','>, blanks, Item>> {};

struct begin_object : one<'{'> {};
struct end_object : one<'}'> {};
struct wanted_member : sor<member, at<one<'}'>>> {};
struct object : seq<begin_object, listed<wanted_member>, end_object> {};
struct begin_list : one<'['> {};
struct end_list : one<']'> {};
struct wanted_item : sor<value, at<one<']'>>> {};
struct items : seq<begin_list, listed<wanted_item>, end_list> {};

struct value : seq<sor<object, items, string_in<'"'>, string_in<'\''>, word>, blanks> {};
struct end_of_text : eof {};
struct text : seq<opt<utf8::bom>, blanks, wanted_value, end_of_text> {};

}  // namespace grammar

// The messages for rules that must match; read() appends what is there instead. Another rule may
// fail, and then an alternative is tried.
template <class Rule>
constexpr const char* kMessage = nullptr;
template <>
constexpr const char* kMessage<grammar::end_of_comment> = "expected */, the end of the comment";
template <>
constexpr const char* kMessage<grammar::escape> =
    "expected an escape of JSON, such as \\n, \\\\ or \\u0041";
template <char kQuote>
constexpr const char* kMessage<grammar::closing<kQuote>> =
    "expected the closing quote in this line";
template <>
constexpr const char* kMessage<grammar::colon> = "expected ':' after the key";
template <>
constexpr const char* kMessage<grammar::wanted_value> = "expected a value";
template <>
constexpr const char* kMessage<grammar::wanted_member> = "expected a key or '}'";
template <>
constexpr const char* kMessage<grammar::wanted_item> = "expected a value or ']'";
template <>
constexpr const char* kMessage<grammar::end_object> = "expected ',' or '}'";
template <>
constexpr const char* kMessage<grammar::end_list> = "expected ',' or ']'";
template <>
constexpr const char* kMessage<grammar::end_of_text> = "expected nothing after the value";

struct Messages {
  template <class Rule>
  static constexpr auto message = kMessage<Rule>;
};
template <class Rule>
using Control = pegtl::must_if<Messages>::control<Rule>;

// Calls a function of the builder for each rule that has one.
template <class Rule>
struct Action : pegtl::nothing<Rule> {};

template <void (Builder::*kFunction)(const char*, const char*)>
struct Call {
  static void apply(const auto& in, Builder& builder) {
    (builder.*kFunction)(in.begin(), in.end());
    if (builder.open.size() > kDepthMax) {
      throw pegtl::parse_error("expected at most 64 lists and objects in each other", in);
    }
  }
};
template <>
struct Action<grammar::begin_object> : Call<&Builder::begin<Kind::object>> {};
template <>
struct Action<grammar::begin_list> : Call<&Builder::begin<Kind::list>> {};
template <>
struct Action<grammar::end_object> : Call<&Builder::end> {};
template <>
struct Action<grammar::end_list> : Call<&Builder::end> {};
template <>
struct Action<grammar::word> : Call<&Builder::word> {};
template <char kQuote>
struct Action<grammar::string_in<kQuote>> : Call<&Builder::string> {};

// Appends characters of a string as `Unescape` understands them.
template <class Unescape>
struct Append {
  static void apply(const auto& in, Builder& builder) { Unescape::apply(in, builder.characters); }
};
template <char kQuote>
struct Action<grammar::plain<kQuote>> : Append<pegtl::unescape::append_all> {};
template <>
struct Action<grammar::letter>
    : Append<pegtl::unescape::unescape_c<grammar::letter, '"', '\'', '\\', '/', '\b', '\f', '\n',
                                         '\r', '\t'>> {};
template <>
struct Action<grammar::code_points> : Append<pegtl::unescape::unescape_j> {};

// Returns the line and column of a byte of the text.
Place place_at(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_break = before.rfind('\n');
  const std::size_t begin = line_break == before.npos ? 0 : line_break + 1;
  const auto breaks = std::count(before.begin(), before.end(), '\n');
  return {.line = static_cast<std::uint32_t>(breaks + 1),
          .column = static_cast<std::uint32_t>(at - begin + 1)};
}

// Returns an excerpt of the text from a byte on: up to the end of the word there.
std::string shown_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.empty()) return "the end of the text";
  if (rest.front() == '\n' || rest.front() == '\r') return "the end of the line";
  if (std::string_view("{}[],:\"'").find(rest.front()) != rest.npos) return {rest.front()};
  return printable(rest.substr(0, rest.find_first_of(" \t\r\n{}[],:\"'", 1)), kShownMax);
}

}  // namespace

Result<Document> Document::read(std::string_view text) {
  Builder builder{text.data()};
  pegtl::memory_input<pegtl::tracking_mode::lazy> input(text.data(), text.size(), "");
  try {
    const bool read = pegtl::parse<grammar::text, Action, Control>(input, builder);
    ORRERY_ASSERT(read && builder.open.empty());
  } catch (const pegtl::parse_error& error) {
    const std::size_t at = error.positions().front().byte;
    return Error{std::string(error.message()) + ", not " + shown_at(text, at), ErrorCode::syntax,
                 place_at(text, at)};
  }
  return Document(text, std::move(builder.nodes), std::move(builder.unescaped));
}

Kind Value::kind() const { return document_->nodes_[node_].kind; }

std::string_view Value::text() const {
  const Document::Node& node = document_->nodes_[node_];
  ORRERY_ASSERT(node.kind == Kind::word || node.kind == Kind::string);
  if (node.unescaped != 0) return document_->unescaped_[node.unescaped - 1];
  const std::size_t quote = node.kind == Kind::string ? 1 : 0;
  return document_->text_.substr(node.begin + quote, node.end - node.begin - 2 * quote);
}

std::vector<Value> Value::items() const {
  ORRERY_ASSERT(kind() == Kind::list || kind() == Kind::object);
  const std::vector<Document::Node>& nodes = document_->nodes_;
  std::vector<Value> items;
  for (std::uint32_t i = node_ + 1; i < nodes[node_].next; i = nodes[i].next) {
    items.push_back({*document_, i});
  }
  return items;
}

std::vector<Member> Value::members() const {
  const std::vector<Value> both = items();
  std::vector<Member> members;
  for (std::size_t i = 0; i < both.size(); i += 2) members.push_back({both[i], both[i + 1]});
  return members;
}

Place Value::place() const { return place_at(document_->text_, document_->nodes_[node_].begin); }

std::string Value::shown() const {
  if (kind() == Kind::string) return '"' + printable(text(), kShownMax) + '"';
  if (kind() == Kind::word) return printable(text(), kShownMax);
  return shown_at(document_->text_, document_->nodes_[node_].begin);
}

Error error_at(const Value& value, std::string message) {
  return {std::move(message), ErrorCode::invalid, value.place()};
}

bool reads_as(const Value& value, double& number) {
  if (value.kind() != Kind::word) return false;
  const std::string_view text = value.text();
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (stop != text.data() + text.size() || error == std::errc::invalid_argument) return false;
  if (error != std::errc{}) number = std::strtod(std::string(text).c_str(), nullptr);
  return true;
}

}  // namespace orrery::json
