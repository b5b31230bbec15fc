// Keeps the files of the page in memory, as they were when the server started.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "common/core/result.h"

namespace orrery::server::web {

// A file of the page.
struct PageFile {
  std::string bytes;       // compressed with gzip, if the file on the disk ends in .gz
  bool is_gzip = false;    //
  std::string_view type;   // media type
  bool immutable = false;  // its name has a hash of its content: browsers may keep it for ever
};

// The files of the page, by path: `/app-1A2B3C4D.js`. A request only looks up a name in this table,
// so no request can reach another file of the machine.
class PageFiles {
 public:
  // Reads all files below a folder; none if it does not exist. Links are skipped. An Error names
  // the folder: it has more files or bytes than limits::kWebFilesMax and kWebFileBytesMax allow, or
  // a file cannot be read.
  static Result<PageFiles> read(const std::string& folder);

  // Returns the file at a path, or null. `/` is `/index.html`.
  const PageFile* find(std::string_view path) const;

 private:
  std::map<std::string, PageFile, std::less<>> files_;
};

// Returns the folder of the installed page: PREFIX/share/orrery/web for PREFIX/bin/orreryd.
std::string page_folder();

}  // namespace orrery::server::web
