// hologram completion: scripts that complete commands, options, their values and files, made from
// the table of commands. Tested by tests/cli/interactive_test.py in the shells themselves.
#include <cstdio>

#include "base/quote.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/options.h"
#include "commands/report.h"

namespace hologram::tool {
namespace {

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string CommandNames() {
  std::string names;
  for (const CommandInfo& command : AllCommands()) {
    names += (names.empty() ? "" : " ") + std::string(command.name);
  }
  return names;
}

std::string OptionNames(const CommandInfo& command) {
  std::string names;
  for (const OptionInfo& option : command.options) names += std::string(option.name) + " ";
  return names + "--help";
}

// "py|json" from ".py .json".
std::string Alternatives(std::string_view suffixes) {
  std::string text;
  for (char c : suffixes) {
    if (c != '.') text += c == ' ' ? '|' : c;
  }
  return text;
}

std::string Bash() {
  std::string text =
      "# bash completion for hologram, written by: hologram completion bash\n"
      "_hologram() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} suffixes=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"" +
      CommandNames() +
      " --help --version\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${COMP_WORDS[1]}:$before\" in\n";
  for (const CommandInfo& command : AllCommands()) {
    for (const OptionInfo& option : command.options) {
      if (option.value.empty()) continue;
      text += "    " + std::string(command.name) + ":" + std::string(option.name) + ") ";
      if (option.words == "FILE") {
        text += "COMPREPLY=($(compgen -f -- \"${word##*=}\"))";
      } else if (!option.words.empty()) {
        text += "COMPREPLY=($(compgen -W \"" + std::string(option.words) + "\" -- \"$word\"))";
      }
      text += (option.words.empty() ? "return ;;\n" : "; return ;;\n");
    }
  }
  text += "  esac\n  case \"${COMP_WORDS[1]}\" in\n";
  for (const CommandInfo& command : AllCommands()) {
    text += "    " + std::string(command.name) + ")\n";
    if (command.name == "completion") {
      text += "      COMPREPLY=($(compgen -W \"bash zsh fish\" -- \"$word\"))\n";
    } else {
      text += "      case \"$word\" in -*)\n        COMPREPLY=($(compgen -W \"" +
              OptionNames(command) + "\" -- \"$word\")); return ;;\n      esac\n";
    }
    text += "      suffixes='" + Alternatives(command.suffixes) + "' ;;\n";
  }
  return text +
         "  esac\n"
         "  [ -n \"$suffixes\" ] || return\n"
         "  local file\n"
         "  while IFS= read -r file; do\n"
         "    if [ -d \"$file\" ]; then COMPREPLY+=(\"$file/\")\n"
         "    elif [[ \"$file\" =~ \\.($suffixes)$ ]]; then COMPREPLY+=(\"$file\"); fi\n"
         "  done < <(compgen -f -- \"$word\")\n"
         "}\n"
         "complete -o filenames -F _hologram hologram\n";
}

// Text inside of single quotes, for _arguments without the characters that it reads.
std::string ZshText(std::string_view text) {
  std::string result;
  for (char c : FirstLine(text)) {
    if (c == '\'') {
      result += "'\\''";
    } else if (c == ':' || c == '[' || c == ']') {
      result += std::string("\\") + c;
    } else {
      result += c;
    }
  }
  return result;
}

std::string Zsh() {
  std::string text =
      "#compdef hologram\n"
      "# zsh completion for hologram, written by: hologram completion zsh\n"
      "_hologram() {\n"
      "  if (( CURRENT == 2 )); then\n"
      "    local -a commands=(\n";
  for (const CommandInfo& command : AllCommands()) {
    text += "      '" + std::string(command.name) + ":" + ZshText(command.about) + "'\n";
  }
  text +=
      "    )\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const CommandInfo& command : AllCommands()) {
    text += "    " + std::string(command.name) + ") _arguments '--help[options and examples]'";
    for (const OptionInfo& option : command.options) {
      text += " \\\n      '*" + std::string(option.name) + "[" + ZshText(option.about) + "]";
      if (!option.value.empty()) {
        text += ":" + ZshText(option.value) + ":";
        if (option.words == "FILE") {
          text += "_files";
        } else if (!option.words.empty()) {
          text += "(" + std::string(option.words) + ")";
        }
      }
      text += "'";
    }
    if (command.name == "completion") {
      text += " \\\n      '1:shell:(bash zsh fish)'";
    } else if (!command.suffixes.empty()) {
      text += " \\\n      '*:file:_files -g \"*.(" + Alternatives(command.suffixes) + ")\"'";
    }
    text += " ;;\n";
  }
  return text +
         "  esac\n}\n"
         "# Both as a file of $fpath and sourced.\n"
         "if [ \"$funcstack[1]\" = _hologram ]; then _hologram \"$@\"; else compdef _hologram "
         "hologram; fi\n";
}

std::string FishText(std::string_view text) {
  std::string result = "'";
  for (char c : FirstLine(text)) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string Fish() {
  std::string text =
      "# fish completion for hologram, written by: hologram completion fish\n"
      "complete -c hologram -f\n";
  for (const CommandInfo& command : AllCommands()) {
    const std::string name(command.name);
    const std::string here = " -n '__fish_seen_subcommand_from " + name + "'";
    text += "complete -c hologram -n __fish_use_subcommand -a " + name + " -d " +
            FishText(command.about) + "\n";
    text += "complete -c hologram" + here + " -l help -d 'options and examples'\n";
    for (const OptionInfo& option : command.options) {
      const bool is_long = option.name.starts_with("--");
      text += "complete -c hologram" + here + (is_long ? " -l " : " -s ") +
              std::string(option.name.substr(is_long ? 2 : 1)) + " -d " + FishText(option.about);
      if (option.words == "FILE") {
        text += " -r -F";
      } else if (!option.value.empty()) {
        text += " -x";
        if (!option.words.empty()) text += " -a '" + std::string(option.words) + "'";
      }
      text += "\n";
    }
    if (command.name == "completion") {
      text += "complete -c hologram" + here + " -a 'bash zsh fish'\n";
    } else if (!command.suffixes.empty()) {
      text += "complete -c hologram" + here + " -F\n";
    }
  }
  return text;
}

}  // namespace

int CompletionCommand(const Arguments& arguments) {
  const Options options = ReadOptions("completion", arguments);
  if (options.positional().size() != 1) throw UsageError{"expected one of bash, zsh, fish"};
  const std::string& shell = options.positional()[0];
  std::string text;
  if (shell == "bash") {
    text = Bash();
  } else if (shell == "zsh") {
    text = Zsh();
  } else if (shell == "fish") {
    text = Fish();
  } else {
    Fail(ErrorCode::kInvalidArgument,
         "no completions for " + Shown(shell) + "; there are: bash, zsh, fish");
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

}  // namespace hologram::tool
