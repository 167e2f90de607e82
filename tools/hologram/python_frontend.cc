#include "python_frontend.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/environment.h"
#include "child_process.h"
#include "report.h"
#include "runtime/places.h"
#include "runtime/thread_count.h"

namespace hologram::tool {
namespace {

// The package lies in <prefix>/share/hologram/python, also in a build folder (a link to the
// sources), or in python/ of the sources when the binary is in build/<preset>/bin.
std::string FrontEndScript() {
  constexpr const char* kPlaces[] = {"/../share/hologram/python", "/../../../python"};
  const std::string folder = runtime::ExecutableFolder();
  for (const char* place : kPlaces) {
    const std::string script = folder + place + "/hologram/frontend/__main__.py";
    if (access(script.c_str(), R_OK) == 0) return script;
  }
  Fail(ErrorCode::kNotFound, "the Python front end is missing: looked in " + folder + kPlaces[0] +
                                 " and " + folder + kPlaces[1]);
}

std::string Interpreter() {
  const char* python = ReadNonEmpty(Variable::kPython);
  return python == nullptr ? "python3" : python;
}

// Takes a number and the character behind it off the front; nothing if there is none.
std::optional<size_t> TakeNumber(std::string_view& rest) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  const auto used = static_cast<size_t>(end - rest.data());
  if (error != std::errc() || used >= rest.size()) return std::nullopt;
  rest.remove_prefix(used + 1);
  return number;
}

}  // namespace

std::string CompilePython(const std::string& path, const std::string& entry) {
  return PythonFiles({path}, entry).Take(0);
}

PythonFiles::PythonFiles(const std::vector<std::string>& paths, const std::string& entry) {
  places_.resize(paths.size());
  std::vector<std::string> files;
  std::vector<size_t> numbers;
  for (size_t k = 0; k < paths.size(); ++k) {
    if (!paths[k].ends_with(".py")) continue;
    files.push_back(paths[k]);
    numbers.push_back(k);
  }
  if (files.empty()) return;
  const size_t count = std::min<size_t>(OrFail(runtime::DefaultThreads()), files.size());
  for (size_t batch = 0; batch < count; ++batch) {
    const size_t first = files.size() * batch / count;
    const size_t end = files.size() * (batch + 1) / count;
    std::vector<std::string> part;
    for (size_t k = first; k < end; ++k) {
      places_[numbers[k]] = {batch, k - first};
      part.push_back(files[k]);
    }
    // One alone is read by whoever asks for it, and so are all if there are no threads.
    const auto policy = count == 1 ? std::launch::deferred : std::launch::async;
    try {
      batches_.push_back(std::async(policy, Run, part, entry));
    } catch (const std::system_error&) {
      batches_.push_back(std::async(std::launch::deferred, Run, part, entry));
    }
  }
}

PythonFiles::Answers PythonFiles::Run(const std::vector<std::string>& paths,
                                      const std::string& entry) {
  // -I -S: nothing of the user's environment is imported, and Python starts fastest.
  std::vector<std::string> command = {Interpreter(), "-I", "-S", FrontEndScript(), "--batch"};
  if (!entry.empty()) command.push_back("--entry=" + entry);
  for (const std::string& path : paths) {
    command.push_back(path.starts_with("-") ? "./" + path : path);
  }
  const ChildResult result =
      RunChild(std::move(command), "HOLOGRAM_PYTHON names the Python interpreter");
  Answers answers;
  std::string_view rest = result.output;
  while (answers.size() < paths.size()) {
    const std::optional<size_t> status = TakeNumber(rest);
    const std::optional<size_t> json = TakeNumber(rest);
    const std::optional<size_t> messages = TakeNumber(rest);
    if (!status || !json || !messages || rest.size() < *json || rest.size() - *json < *messages) {
      Fail(ErrorCode::kInvalidKernel,
           "the Python front end (" + Interpreter() + ") " +
               (result.status > 0    ? "ended with status " + std::to_string(result.status)
                : result.status == 0 ? std::string("wrote something else than its answer")
                                     : std::string("was killed")) +
               " at " + paths[answers.size()]);
    }
    answers.push_back({static_cast<int>(*status), std::string(rest.substr(0, *json)),
                       std::string(rest.substr(*json, *messages))});
    rest.remove_prefix(*json + *messages);
  }
  return answers;
}

std::string PythonFiles::Take(size_t k) {
  const Place place = places_[k];
  while (answers_.size() <= place.batch) answers_.push_back(batches_[answers_.size()].get());
  Answer& answer = answers_[place.batch][place.number];
  std::fwrite(answer.messages.data(), 1, answer.messages.size(), stderr);
  if (answer.status != 0) throw AlreadyReported{std::move(answer.json)};
  return std::move(answer.json);
}

}  // namespace hologram::tool
