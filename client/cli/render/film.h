// Makes films: the page in one HTML file, with the logs that it shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/log_input.h"
#include "common/core/ids.h"
#include "common/core/result.h"

namespace orrery::cli {

// Most bytes of all logs of a film. In the HTML file they take a third more, as base64.
inline constexpr std::size_t kFilmLogBytesMax = std::size_t{256} << 20;

// A log of a film.
struct FilmLog {
  std::string name;                                 // as the page shows it
  std::vector<std::vector<std::uint8_t>> segments;  // plain bytes; empty: the segment is missing
};

// Reads all segments of a log. Reads `log.reader` to its end first, unless it is there already.
// Returns an Error if a segment cannot be read, or if the log is too large for a film.
Result<FilmLog> film_log(const LogInput& log);

// Returns the installed film page, without a log in it. Returns an Error if it is not installed.
Result<std::string> installed_film();

// What a film shows.
struct Film {
  std::vector<FilmLog> logs;      // one, or two beside each other
  std::string report;             // an HTML page to show in a frame; empty: none
  std::optional<Tick> tick = {};  // opens paused at this tick; nothing: plays from the start
};

// Returns the film as one HTML file. `page` is from installed_film().
std::string film_of(const std::string& page, const Film& film);

}  // namespace orrery::cli
