// Makes films: the page in one HTML file, with the logs that it shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "client/cli/log_input.h"
#include "common/core/result.h"

namespace orrery::cli {

// Most bytes of all logs of a film. In the file they take a third more.
inline constexpr std::size_t kFilmLogBytesMax = std::size_t{256} << 20;

// A log of a film.
struct FilmLog {
  std::string name;                                 // as the page shows it
  std::vector<std::vector<std::uint8_t>> segments;  // plain bytes; empty: the segment is missing
};

// Reads all segments of a log. Reads `log.reader` to its end, unless it is there. Returns an Error
// if a segment cannot be read, or if the log is too large for a film.
Result<FilmLog> film_log(const LogInput& log);

// Returns the installed film, which has no log yet. Returns an Error if it is not installed.
Result<std::string> installed_film();

// Returns the film of the logs. `film` is from installed_film(). `report` is HTML that the page
// shows beside the bodies, or empty.
std::string film_of(const std::string& film, const std::string& report,
                    std::span<const FilmLog> logs);

}  // namespace orrery::cli
