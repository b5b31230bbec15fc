// Implements `orrery film`: one HTML file that plays, scrubs and verifies a session log offline.
#include "client/cli/render/film.h"

#include <cstdio>
#include <utility>

#include "client/cli/command_line/shared_options.h"
#include "client/cli/log_input.h"
#include "client/cli/output_file.h"
#include "client/cli/unusable.h"
#include "client/cli/verbs/verbs.h"
#include "common/core/counted.h"
#include "common/core/printable.h"
#include "common/core/versions.h"
#include "common/session/versions.h"

namespace orrery::cli {
namespace {

struct FilmOptions {
  std::string log;
  std::string out;
};

int film(const FilmOptions& options) {
  const Result<std::string> page = installed_film();
  if (!page) return unusable(page.error().text());
  const Result<LogInput> opened = open_log(options.log);
  if (!opened) return refuse(opened.error());
  const LogInput& log = opened.value();
  Result<FilmLog> content = film_log(log);
  if (!content) return unusable(content.error().text());
  const session::LogTail& tail = log.reader->tail();
  if (tail.unreadable) return unusable(tail.unreadable->text());
  const std::string html = film_of(page.value(), {{std::move(content.value())}, ""});
  if (const Status written = replace_file(options.out, html); !written) {
    return unusable("-o: " + written.error().text());
  }
  std::printf("%s: %s, %llu kB\n", printable(options.out).c_str(),
              counted(tail.tick.value, "tick").c_str(),
              static_cast<unsigned long long>((html.size() + 999) / 1000));
  if (log.header.rules != kRulesVersion) {
    unusable(printable(options.log) + ": was recorded under " +
                 session::other_rules(log.header.rules) +
                 "; the film shows only the states of its checkpoints",
             0);
  }
  return judge_end(options.log, tail);
}

}  // namespace

void add_film(Verb& program) {
  auto [verb, options] = program.add_verb(
      "film", "Write a page that plays, scrubs and verifies a session log offline",
      "  orrery film a.orrery -o a.html   # open a.html in a browser, or mail it", film);
  add_log_argument(verb, options.log);
  add_page(verb, "-o", options.out, "Page to write").required();
}

}  // namespace orrery::cli
