// Writes a page about a divergence.
#include "client/cli/render/divergence_page.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "client/cli/command_json.h"
#include "client/cli/output_file.h"
#include "client/cli/render/body_drawing.h"
#include "client/cli/render/divergence_text.h"
#include "client/cli/render/film.h"
#include "client/cli/render/picture/svg.h"
#include "common/core/counted.h"
#include "common/core/printable.h"
#include "common/math/ulps.h"

namespace orrery::cli {
namespace {

constexpr std::size_t kRowsMax = 60;

constexpr const char* kStyle = R"(
body { font: 15px/1.45 sans-serif; margin: 2em auto; max-width: 60em; color: #222; }
h1 { font-size: 1.5em; } h2 { font-size: 1.1em; margin-top: 1.6em; }
table { border-collapse: collapse; } td, th { padding: .15em .8em .15em 0; text-align: left; }
td, pre { font-family: monospace; vertical-align: top; } .lead { font-size: 1.1em; }
figure { display: inline-block; margin: 0 1em 1em 0; } figcaption { color: #555; }
svg { border: 1px solid #bbb; background: #fbfbf8; display: block; }
svg * { stroke: #888; stroke-width: 1; fill: #88888826; }
svg .a { stroke: #2563b0; fill: #2563b026; }
svg .b { stroke: #c22; fill: none; stroke-dasharray: 4 3; }
svg .fixed { fill: #8888880a; }
svg .marked { fill: #f5a62380; stroke-width: 2; } svg .b.marked { fill: none; }
)";

std::string row(const std::vector<std::string>& cells, const char* kind = "td") {
  std::string out = "<tr>";
  for (const std::string& cell : cells) {
    out += std::string("<") + kind + '>' + svg_text(cell) + "</" + kind + '>';
  }
  return out + "</tr>\n";
}

std::string number(double value) { return decimal(value) + " = " + hex(value); }

std::string facts(const session::Divergence& found, const PageLog& a, const PageLog& b) {
  std::string out = "<table>\n";
  out += row({"a", a.name, a.build, json::hash(found.hash_a)});
  out += row({"b", b.name, b.build, json::hash(found.hash_b)});
  return out + "</table>\n";
}

std::string lead(const session::Divergence& found) {
  std::string out = "<p class=\"lead\">Cause: <b>" + std::string(session::cause_name(found.cause)) +
                    "</b>: " + svg_text(found.why) + ".</p>\n";
  if (found.phase) {
    out += "<p>The first phase of the tick whose results differ: <b>" +
           std::string(session::phase_name(*found.phase)) + "</b>.</p>\n";
  }
  if (!found.unknown.empty()) {
    out += "<p>The values are unknown: " + svg_text(found.unknown) + ".</p>\n";
  }
  return out;
}

std::string table_of(const StateDifference& state) {
  std::string out = "<table>\n" + row({"body", "field", "a", "b", "ulps"}, "th");
  for (std::size_t i = 0; i < std::min(kRowsMax, state.fields.size()); ++i) {
    const FieldDifference& f = state.fields[i];
    out += row({std::to_string(f.body.value), std::string(field_name(f.field)), number(f.a),
                number(f.b), std::to_string(ulps_between(f.a, f.b))});
  }
  return out + "</table>\n";
}

std::string fields(const session::Divergence& found) {
  const StateDifference& state = found.state;
  if (!found.a || !found.b || !state.any()) return {};
  std::string out = "<h2>What differs</h2>\n<p>" + counted(state.bodies, "body", "bodies") +
                    " of " + std::to_string(found.a->bodies().count()) + "; parts of the state:";
  for (const std::string_view part : state.parts()) out += ' ' + std::string(part);
  out += ".</p>\n" + table_of(state);
  for (const BodyId body : state.only_a) {
    out += "<p>Body " + std::to_string(body.value) + " is only in a.</p>\n";
  }
  for (const BodyId body : state.only_b) {
    out += "<p>Body " + std::to_string(body.value) + " is only in b.</p>\n";
  }
  return out;
}

void add_contacts(const char* name, const World& world, BodyId body, std::string& out) {
  const std::vector<BodyContact> contacts = contacts_of(world, slot_of(body));
  for (std::size_t i = 0; i < std::min(kRowsMax, contacts.size()); ++i) {
    out += row({name, std::to_string(contacts[i].with.value), std::to_string(contacts[i].points),
                number(contacts[i].impulse)});
  }
}

std::string contacts(const session::Divergence& found) {
  if (!found.a || !found.b || !found.body || !found.a->collision()) return {};
  std::string out =
      "<h2>Contacts of body " + std::to_string(found.body->value) + "</h2>\n<table>\n";
  out += row({"in", "with body", "points", "impulse along the normal"}, "th");
  const std::size_t empty = out.size();
  add_contacts("a", *found.a, *found.body, out);
  add_contacts("b", *found.b, *found.body, out);
  if (out.size() == empty) out += row({"none"});
  return out + "</table>\n";
}

void add_commands(const char* name, const std::vector<Command>& commands, std::string& out) {
  for (std::size_t i = 0; i < std::min(kRowsMax, commands.size()); ++i) {
    out += row({name, json::of(commands[i]).text});
  }
  if (commands.size() > kRowsMax) {
    out += row({name, "and " + std::to_string(commands.size() - kRowsMax) + " more"});
  }
}

std::string commands(const session::Divergence& found) {
  std::string out = "<h2>Commands of the tick</h2>\n";
  if (found.commands_a.empty() && found.commands_b.empty()) return out + "<p>None.</p>\n";
  if (!found.command_differences.empty()) {
    out += "<p>Only in one of the two:</p>\n<table>\n";
    for (std::size_t i = 0; i < std::min(kRowsMax, found.command_differences.size()); ++i) {
      const session::CommandDifference& d = found.command_differences[i];
      out += row({d.in_a ? "a" : "b", json::of(d.command).text});
    }
    out += "</table>\n<p>All:</p>\n";
  }
  out += "<table>\n";
  add_commands("a", found.commands_a, out);
  add_commands("b", found.commands_b, out);
  return out + "</table>\n";
}

std::string later(const session::Explanation& explained) {
  if (!explained.later) return {};
  const StateDifference& state = explained.later->state;
  const std::string tick = std::to_string(explained.later->tick.value);
  const std::string bodies = counted(state.bodies, "body", "bodies");
  return "<h2>At the checkpoint of tick " + tick + "</h2>\n<p>Differing: " + bodies + ".</p>\n" +
         table_of(state);
}

std::string figure(const std::string& drawing, const std::string& caption) {
  const std::string size = std::to_string(static_cast<int>(kPictureSize));
  return "<figure><svg width=\"" + size + "\" height=\"" + size + "\">\n" + drawing +
         "</svg><figcaption>" + caption + "</figcaption></figure>\n";
}

std::string width(const View& view) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.3g", view.width / view.scale);
  return buffer.data();
}

std::string pictures(const session::Explanation& explained) {
  const session::Divergence& found = explained.divergence;
  if (!explained.played || !found.a || !found.b || !found.body) return {};
  const World& before = explained.played->world();
  const World& there = contains(before, *found.body)     ? before
                       : contains(*found.a, *found.body) ? *found.a
                                                         : *found.b;
  std::string out = "<h2>Around body " + std::to_string(found.body->value) + "</h2>\n";
  for (const Axis axis : {Axis::front, Axis::top}) {
    const View view = view_around(there, *found.body, axis);
    const std::string from =
        axis == Axis::front ? "from the front: x right, y up" : "from above: x right, z down";
    out += figure(draw_bodies(before, view, "before", found.body),
                  "before the tick, " + from + "; width " + width(view));
    out += figure(
        draw_bodies(*found.a, view, "a", found.body) + draw_bodies(*found.b, view, "b", found.body),
        "after the tick: a filled in blue, b dashed in red");
  }
  return out;
}

// Returns a film that opens at the last tick before the divergent one.
Result<std::string> film_with(const std::string& report, Tick divergent,
                              const std::vector<std::string>& paths) {
  const Result<std::string> page = installed_film();
  if (!page) return page.error();
  Film film{{}, report, Tick{divergent.value - std::min<std::uint64_t>(divergent.value, 1)}};
  for (const std::string& path : paths) {
    const Result<LogInput> opened = open_log(path);
    if (!opened) return opened.error();
    Result<FilmLog> log = film_log(opened.value());
    if (!log) return log.error();
    film.logs.push_back(std::move(log.value()));
  }
  return film_of(page.value(), film);
}

}  // namespace

std::string divergence_page(const session::Explanation& explained, const PageLog& a,
                            const PageLog& b) {
  const session::Divergence& found = explained.divergence;
  const std::string title = found.cause == session::Cause::scene
                                ? "Two different scenes"
                                : "Divergence at tick " + std::to_string(found.tick.value);
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title +
         "</title>\n<style>" + kStyle + "</style></head><body>\n<h1>" + title + "</h1>\n" +
         lead(found) + facts(found, a, b) + fields(found) + later(explained) + pictures(explained) +
         contacts(found) + commands(found) + "</body></html>\n";
}

Status write_divergence_film(const std::string& path,
                             const std::optional<session::Explanation>& explained, const PageLog& a,
                             const PageLog& b, const std::vector<std::string>& logs) {
  const std::string name = printable(path);
  if (!explained) {
    std::fprintf(stderr, "orrery: no difference to show, so %s was not written\n", name.c_str());
    return ok_status();
  }
  const std::string report = divergence_page(*explained, a, b);
  const Result<std::string> film = film_with(report, explained->divergence.tick, logs);
  const Status written = replace_file(path, film ? film.value() : report);
  if (!written) return written;
  std::fprintf(stderr, "orrery: wrote %s%s\n", name.c_str(),
               film ? "" : (", without the logs: " + film.error().text()).c_str());
  return written;
}

}  // namespace orrery::cli
