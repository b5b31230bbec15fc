// Makes films: the page in one HTML file, with the logs that it shows.
#include "client/cli/render/film.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "client/cli/render/picture/svg.h"
#include "common/core/assert.h"
#include "common/core/printable.h"
#include "common/host/disk/file.h"
#include "common/host/disk/log_segments.h"
#include "common/host/disk/page_folder.h"

namespace orrery::cli {
namespace {

// The build of the page (client/web/film.mjs) writes this line into the film twice: where the
// report goes, and where the logs go.
constexpr std::string_view kMark = "<!-- orrery film -->\n";
constexpr std::size_t kFilmBytesMax = std::size_t{16} << 20;  // of the installed film

// Returns the start of each mark.
std::vector<std::size_t> marks_of(std::string_view film) {
  std::vector<std::size_t> marks;
  for (std::size_t at = film.find(kMark); at != std::string_view::npos;
       at = film.find(kMark, at + kMark.size())) {
    marks.push_back(at);
  }
  return marks;
}

void append_base64(Bytes bytes, std::string& out) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const Bytes group = bytes.subspan(i, std::min<std::size_t>(3, bytes.size() - i));
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < group.size() ? group[k] : 0u);
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= group.size() ? kLetters[bits >> (18 - 6 * k) & 63] : '=';
    }
  }
}

// Reads a segment to its end. It may have at most `bytes_max` bytes.
Result<std::vector<std::uint8_t>> read_all(session::ByteSource& source, std::size_t bytes_max) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  std::vector<std::uint8_t> bytes;
  for (std::size_t got = 1; got > 0;) {
    const std::size_t size = bytes.size();
    bytes.resize(size + kChunk);
    got = source.read(std::span(bytes).subspan(size));
    bytes.resize(size + got);
    if (bytes.size() > bytes_max) {
      return Error{"has more than " + std::to_string(kFilmLogBytesMax >> 20) +
                   " MiB, too much for a film; shorten it with orrery fork"};
    }
  }
  const Status status = source.status();
  if (!status) return status.error();
  return bytes;
}

// Returns a report as an element of the page. It is in a frame, so its styles do not affect the
// page. The frame is a sandbox: whatever is in a report can run no script and reach nothing.
std::string frame_of(const std::string& report) {
  if (report.empty()) return {};
  std::string out =
      "<section id=\"report\"><details><summary>Report</summary>\n"
      "<iframe title=\"Report\" sandbox srcdoc=\"";
  for (const char c : report) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out + "\"></iframe></details></section>\n";
}

std::string tick_of(const Film& film) {
  return film.tick ? " data-tick=\"" + std::to_string(film.tick->value) + '"' : "";
}

}  // namespace

Result<FilmLog> film_log(const LogInput& log) {
  for (session::TickRecord record; log.reader->next(record);) {
  }
  FilmLog film{std::filesystem::path(log.path).filename().string(), {}};
  const session::OpenSegment open = host::segments_of(log.path);
  std::size_t bytes_left = kFilmLogBytesMax;
  for (std::uint32_t number = 0; number <= log.reader->tail().segment; ++number) {
    Result<std::unique_ptr<session::ByteSource>> source = open(number);
    if (!source) return source.error();
    film.segments.emplace_back();
    if (!source.value()) continue;
    Result<std::vector<std::uint8_t>> bytes = read_all(*source.value(), bytes_left);
    if (!bytes) return bytes.error().in(log.path);
    bytes_left -= bytes.value().size();
    film.segments.back() = std::move(bytes.value());
  }
  return film;
}

Result<std::string> installed_film() {
  const std::string path = host::page_folder() + "/film.html";
  const auto file = host::FileSource::open(path);
  std::vector<std::uint8_t> bytes;
  const Status read = file ? file.value()->read_up_to(kFilmBytesMax, bytes) : file.error();
  if (!read) {
    return Error{read.error().text() + "; build the page (client/web/README.md) or install it"};
  }
  std::string film(bytes.begin(), bytes.end());
  if (marks_of(film).size() == 2) return film;
  return Error{"is of another build; build the page again"}.in(path);
}

std::string film_of(const std::string& page, const Film& film) {
  const std::vector<std::size_t> marks = marks_of(page);
  ORRERY_ASSERT(marks.size() == 2);
  std::string out = page.substr(0, marks[0]) + frame_of(film.report);
  out += page.substr(marks[0] + kMark.size(), marks[1] - marks[0] - kMark.size());
  for (std::size_t i = 0; i < film.logs.size(); ++i) {
    for (const std::vector<std::uint8_t>& segment : film.logs[i].segments) {
      out += "<script type=\"application/x-orrery-log\" data-log=\"" + std::to_string(i) +
             "\" data-name=\"" + svg_text(film.logs[i].name) + '"' + tick_of(film) + '>';
      append_base64(segment, out);
      out += "</script>\n";
    }
  }
  return out + page.substr(marks[1] + kMark.size());
}

}  // namespace orrery::cli
