// Keeps the files of the page in memory, as they were when the server started.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "common/core/result.h"

namespace orrery::server::web {

// A file of the page.
struct PageFile {
  std::string bytes;       // content
  std::string gzip;        // the same, compressed; empty: only content is on the disk
  std::string_view type;   // media type
  bool immutable = false;  // the name has a hash of the content: browsers may keep it for ever
};

// The files of the page, by path: `/app-1a2b3c4d.js`. A request for a page only looks up a name in
// this table, so it can reach no other file of the machine.
class PageFiles {
 public:
  // Reads all files below a folder; none if it does not exist. Links are skipped. A file NAME.gz is
  // the file NAME, compressed. Returns an Error if the folder has more files or bytes than
  // limits::kWebFilesMax and kWebFileBytesMax allow, or if it or a file in it cannot be read. The
  // Error names the folder or the file.
  static Result<PageFiles> read(const std::string& folder);

  // Returns the file at a path, or null. `/` is `/index.html`.
  const PageFile* find(std::string_view path) const;

 private:
  std::map<std::string, PageFile, std::less<>> files_;
};

}  // namespace orrery::server::web
