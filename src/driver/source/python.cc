#include "driver/source/python.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/environment.h"
#include "driver/child_process.h"
#include "runtime/install_paths.h"
#include "runtime/thread_count.h"

namespace hologram::driver {
namespace {

// Takes a number and the character behind it off the front; nothing if there is none.
std::optional<size_t> TakeNumber(std::string_view& rest) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  const auto used = static_cast<size_t>(end - rest.data());
  if (error != std::errc() || used >= rest.size()) return std::nullopt;
  rest.remove_prefix(used + 1);
  return number;
}

std::string HowItEnded(int status) {
  if (status > 0) return "ended with status " + std::to_string(status);
  return status == 0 ? "wrote something else than its answer" : "was killed";
}

}  // namespace

// The package lies in <prefix>/share/hologram/python, also in a build folder (a link to the
// sources), or in python/ of the sources when the binary is in build/<preset>/bin. In a wheel the
// command is the package's module.
Result<std::string> PackageFile(const std::string& name) {
  constexpr const char* kPlaces[] = {"/../share/hologram/python", "/../../../python"};
  const std::string beside = runtime::OwnFolder() + "/.." + name;
  if (access(beside.c_str(), R_OK) == 0) return beside;
  const std::string folder = runtime::ExecutableFolder();
  for (const char* place : kPlaces) {
    const std::string file = folder + place + name;
    if (access(file.c_str(), R_OK) == 0) return file;
  }
  return Error(ErrorCode::kNotFound, "the Python front end is missing: looked in " + folder +
                                         kPlaces[0] + " and " + folder + kPlaces[1]);
}

std::string PythonInterpreter() {
  const char* python = ReadNonEmpty(Variable::kPython);
  return python == nullptr ? "python3" : python;
}

Result<PythonAnswer> CompilePython(const std::string& path, const std::string& entry) {
  HOLOGRAM_ASSIGN_OR_RETURN(PythonFiles files, PythonFiles::Start({path}, entry));
  return files.Take(0);
}

Result<PythonFiles> PythonFiles::Start(const std::vector<std::string>& paths,
                                       const std::string& entry) {
  PythonFiles started;
  started.places_.resize(paths.size());
  std::vector<std::string> files;
  std::vector<size_t> numbers;
  for (size_t k = 0; k < paths.size(); ++k) {
    if (!paths[k].ends_with(".py")) continue;
    files.push_back(paths[k]);
    numbers.push_back(k);
  }
  if (files.empty()) return started;
  HOLOGRAM_ASSIGN_OR_RETURN(const uint32_t threads, runtime::DefaultThreads());
  const size_t count = std::min<size_t>(threads, files.size());
  for (size_t batch = 0; batch < count; ++batch) {
    const size_t first = files.size() * batch / count;
    const size_t end = files.size() * (batch + 1) / count;
    std::vector<std::string> part;
    for (size_t k = first; k < end; ++k) {
      started.places_[numbers[k]] = {batch, k - first};
      part.push_back(files[k]);
    }
    // One alone is read by whoever asks for it, and so are all if there are no threads.
    const auto policy = count == 1 ? std::launch::deferred : std::launch::async;
    try {
      started.batches_.push_back(std::async(policy, Run, part, entry));
    } catch (const std::system_error&) {
      started.batches_.push_back(std::async(std::launch::deferred, Run, part, entry));
    }
  }
  return started;
}

PythonFiles::Answers PythonFiles::Run(const std::vector<std::string>& paths,
                                      const std::string& entry) {
  // -I -S: nothing of the user's environment is imported, and Python starts fastest.
  HOLOGRAM_ASSIGN_OR_RETURN(const std::string script,
                            PackageFile("/hologram/frontend/__main__.py"));
  std::vector<std::string> command = {PythonInterpreter(), "-I", "-S", script, "--batch"};
  if (!entry.empty()) command.push_back("--entry=" + entry);
  for (const std::string& path : paths) {
    command.push_back(path.starts_with("-") ? "./" + path : path);
  }
  HOLOGRAM_ASSIGN_OR_RETURN(
      const ChildResult result,
      RunChild(std::move(command), "HOLOGRAM_PYTHON names the Python interpreter"));
  std::vector<PythonAnswer> answers;
  std::string_view rest = result.output;
  while (answers.size() < paths.size()) {
    const std::optional<size_t> status = TakeNumber(rest);
    const std::optional<size_t> json = TakeNumber(rest);
    const std::optional<size_t> messages = TakeNumber(rest);
    if (!status || !json || !messages || rest.size() < *json || rest.size() - *json < *messages) {
      return Error(ErrorCode::kInvalidKernel, "the Python front end (" + PythonInterpreter() +
                                                  ") " + HowItEnded(result.status) + " at " +
                                                  paths[answers.size()]);
    }
    PythonAnswer answer{std::string(rest.substr(0, *json)),
                        std::string(rest.substr(*json, *messages))};
    if (*status != 0 && answer.ok()) {
      return Error(ErrorCode::kInternal,
                   "the Python front end refused " + paths[answers.size()] + " without a message");
    }
    answers.push_back(std::move(answer));
    rest.remove_prefix(*json + *messages);
  }
  return answers;
}

Result<PythonAnswer> PythonFiles::Take(size_t k) {
  const Place place = places_[k];
  while (answers_.size() <= place.batch) answers_.push_back(batches_[answers_.size()].get());
  Answers& batch = answers_[place.batch];
  if (!batch.ok()) return batch.errors();
  return std::move(batch.value()[place.number]);
}

}  // namespace hologram::driver
