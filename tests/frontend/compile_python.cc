#include "frontend/compile_python.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace hologram::frontend {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string JsonOf(const std::string& directory, const std::string& file) {
  const char* chosen = std::getenv("HOLOGRAM_PYTHON");
  const std::string python = chosen != nullptr && *chosen != '\0' ? chosen : "python3";
  const std::string command = "cd '" HOLOGRAM_TEST_DIR "/" + directory +
                              "' && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='" HOLOGRAM_PYTHON_DIR
                              "' '" +
                              python + "' -m hologram.frontend '" + file + "'";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << "cannot run " << command;
    return "";
  }
  std::string json;
  char buffer[4096];
  for (size_t count = 0; (count = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    json.append(buffer, count);
  }
  EXPECT_EQ(pclose(pipe), 0) << command;
  return json;
}

}  // namespace hologram::frontend
