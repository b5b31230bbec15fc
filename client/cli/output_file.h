// Replaces a file. If that fails, the old file is kept.
#pragma once

#include <memory>
#include <string>

#include "common/core/bytes.h"
#include "common/core/result.h"

namespace orrery::cli {

// A file that is written in parts. Until it is complete, it has a temporary name in the same
// folder. The destructor removes it if it was not completed.
class NewFile {
 public:
  // Creates the temporary file. An Error starts with the path, here and in the functions below.
  static Result<std::unique_ptr<NewFile>> create(const std::string& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  Status append(Bytes bytes);
  // Syncs the file to the disk and renames it to the path. REQUIRES: nothing is called after it.
  Status complete();

 private:
  NewFile(const std::string& path, std::string draft, int descriptor);
  Status status_of(int failure) const;

  const std::string path_;
  const std::string draft_;  // the temporary name of the file
  int descriptor_;           // -1: closed
};

// Writes a whole file. If that fails, the old file is unchanged. An Error starts with the path.
Status replace_file(const std::string& path, const std::string& content);

}  // namespace orrery::cli
