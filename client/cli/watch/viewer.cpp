// Shows a live view until it ends.
#include "client/cli/watch/viewer.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "common/host/process/clock.h"
#include "common/host/process/stop_signal.h"

namespace orrery::cli {
namespace {

constexpr net::Nanoseconds kPageInterval = net::kSecond / 30;
// Drawing takes at most 1 / kCostShare of the time of one processor.
constexpr net::Nanoseconds kCostShare = 4;
constexpr std::size_t kPrintedRows = 37;  // rows of a table that is printed every second

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

Colours stdout_colours() {
  if (!stdout_shows_pages() || !variable("NO_COLOR").empty()) return Colours::none;
  const std::string_view kind = variable("COLORTERM");
  return kind == "truecolor" || kind == "24bit" ? Colours::all : Colours::palette;
}

// Updates the source, and returns the current time.
net::Nanoseconds updated(Source& source) {
  source.update();
  return host::monotonic_now();
}

void print(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) std::printf("%s\n", line.c_str());
}

void print_table(const Moment& moment, std::size_t rows) {
  Table table;
  std::printf("%s\n%s\n", table_title(moment).c_str(), table.heading(moment).c_str());
  print(table.lines(moment, rows));
  if (moment.bodies.size() > rows) std::printf("      and %zu more\n", moment.bodies.size() - rows);
  std::fflush(stdout);
}

}  // namespace

bool stdout_shows_pages() { return ::isatty(STDOUT_FILENO) == 1 && variable("TERM") != "dumb"; }

void view_live(Source& source, const ViewerOptions& options) {
  const host::StopSignal stop;
  const host::RawTerminal terminal(STDIN_FILENO, STDOUT_FILENO);
  Page page(options.kind, options.axis, stdout_colours());
  KeyReader reader;
  Screen shown(0, 0, {});
  terminal.write("connecting ...");
  const net::Nanoseconds start = host::monotonic_now();
  net::Nanoseconds next = start;
  while (!stop.asked()) {
    const net::Nanoseconds now = updated(source);
    if (source.has_ended()) return;
    if (options.seconds != 0 && now - start >= options.seconds * net::kSecond) return;
    for (const Key key : reader.read(terminal.typed())) {
      if (key == Key::quit) return;
      page.press(key);
    }
    if (now < next) continue;
    next = now + kPageInterval;
    const Moment* const moment = source.moment();
    if (!moment) continue;
    Screen screen = page.draw(*moment, host::terminal_size(STDOUT_FILENO));
    if (!terminal.write(changes(shown, screen, page.colours()))) return;
    shown = std::move(screen);
    next = now + std::max(kPageInterval, kCostShare * (host::monotonic_now() - now));
  }
}

void print_tables(Source& source, const ViewerOptions& options) {
  const host::StopSignal stop;
  const net::Nanoseconds start = host::monotonic_now();
  net::Nanoseconds next = start;
  while (!stop.asked()) {
    const net::Nanoseconds now = updated(source);
    if (source.has_ended()) return;
    if (options.seconds != 0 && now - start >= options.seconds * net::kSecond) return;
    if (now < next) continue;
    const Moment* const moment = source.moment();
    if (!moment) continue;
    print_table(*moment, kPrintedRows);
    next = now + net::kSecond;
  }
}

Status print_once(Source& source, const ViewerOptions& options) {
  const host::StopSignal stop;
  const net::Nanoseconds start = host::monotonic_now();
  while (!stop.asked() && !source.has_ended()) {
    const net::Nanoseconds now = updated(source);
    const Moment* const moment = source.moment();
    if (!source.usable()) return source.usable();
    if (options.seconds != 0 && now - start >= options.seconds * net::kSecond) {
      return Error{"the server sent nothing to show in " + std::to_string(options.seconds) + " s"};
    }
    if (!moment || !source.has_shapes()) continue;
    if (options.kind == PageKind::table) {
      print_table(*moment, moment->bodies.size());
      return ok_status();
    }
    host::TerminalSize size = host::terminal_size(STDOUT_FILENO);
    size.rows = std::max<std::size_t>(size.rows, 2) - 1;  // one line is left for the shell's prompt
    Page page(options.kind, options.axis, stdout_colours());
    std::fputs(lines_of(page.draw(*moment, size), page.colours()).c_str(), stdout);
    return ok_status();
  }
  return ok_status();
}

}  // namespace orrery::cli
