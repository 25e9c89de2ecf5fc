// What a sandboxed command may not ask of the kernel: a filter for bubblewrap's --seccomp. It
// allows by default and refuses what reaches beyond the sandbox's own processes, loads code into
// the kernel, or has a history of holes. sandbox.h hands it over.
#pragma once

#include <string>

namespace toolgate {

// A classic BPF program, as the kernel reads it. Empty on a machine it is not written for.
std::string make_seccomp_filter();

}  // namespace toolgate
