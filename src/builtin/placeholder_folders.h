// Empty folders that a sandbox needs in the workspace: something is mounted there, so that commands
// cannot make them. They are made before a command starts and removed when the last one that needs
// them has ended, unless somebody has used them. A place that is removed takes the mount with it,
// in all sandboxes: whoever needs one holds a lock, also against other gateways. supervisor.cpp
// has one of these.
#pragma once

#include <string>
#include <vector>

#include "base/descriptor.h"

namespace toolgate {

class PlaceholderFolders {
 public:
  PlaceholderFolders() = default;
  PlaceholderFolders(const PlaceholderFolders&) = delete;
  PlaceholderFolders& operator=(const PlaceholderFolders&) = delete;
  ~PlaceholderFolders();  // removes what nobody needs any more

  // Absolute, in a folder that is there. What is there and not ours stays as it is. Takes a second
  // at worst, and changes the process's umask for a moment.
  void add(std::string path);

 private:
  struct Held {
    std::string path;
    Descriptor folder;  // locked
  };
  std::vector<Held> held_;
};

// Whether there is an empty folder of ours. One that a crash has left is removed with the next
// command that needs it.
bool is_placeholder(const std::string& path);

}  // namespace toolgate
