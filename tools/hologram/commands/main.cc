// The command `hologram`. Tested by tests/cli.
#include "commands/commands.h"

int main(int argc, char** argv) {
  return hologram::tool::RunCommandLine({argv + (argc > 0 ? 1 : 0), argv + argc});
}
