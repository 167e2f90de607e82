#include "commands/command_table.h"

namespace hologram::tool {
namespace {

constexpr OptionInfo kEntry = {"--entry", "NAME", "the kernel, where the file has several", ""};

constexpr OptionInfo kSetConst = {
    "--set-const", "NAME=VALUE[,VALUE...]",
    "a compile-time parameter or type variable; several, several kernels", ""};

constexpr OptionInfo kCompileOptions[] = {
    {"-o", "OUT",
     "the output; without it text goes to standard output, other forms\n"
     "beside FILE",
     "FILE"},
    kEntry,
    {"--emit", "FORM",
     "what to write; without it as the suffix of OUT says, else holo:\n"
     "json    kernel JSON                     .json\n"
     "circuit canonical circuit               .circuit\n"
     "calls   generator calls of the circuit  .calls\n"
     "asm     Atlas assembly                  .hasm\n"
     "holo    bundle with native code         .holo\n"
     "header  C header of obj and so          .h\n"
     "obj     object, with header beside it   .o\n"
     "so      shared library, with header     .so\n"
     "llvm    LLVM IR                         .ll\n"
     "ptx     PTX                             .ptx",
     "json circuit calls asm holo header obj so llvm ptx"},
    {"--level", "LEVEL", "x86-64 level of header, obj, so and llvm: v2, v3 or v4 (default)",
     "v2 v3 v4"},
    {"--arch", "ARCH", "of ptx: sm_80 (default) or sm_90", "sm_80 sm_90"},
    {"--native", "WHICH",
     "native code in a bundle: all (an error where it cannot be made) or\n"
     "none; without it, where there is the compiler plugin",
     "all none"},
    {"--header", "FILE",
     "of holo: file name and trust hash as C++ constants; of obj and so:\n"
     "the C header, if not beside OUT",
     "FILE"},
    {"--embed", "", "with --header: the bundle itself too, as a constexpr array", ""},
    {"--manifest", "FILE", "of holo: what is in it, as JSON, as inspect --json prints it", "FILE"},
    {"--cache", "FOLDER",
     "of holo: native code is kept in FOLDER, and taken from there where a\n"
     "kernel has not changed",
     "FILE"},
    kSetConst,
    {"--canonical", "",
     "kernels that are circuits by way of their canonical circuit, so that\n"
     "equal ones become equal programs",
     ""},
    {"--class-memory", "",
     ".circuit files that work on the class memory of an executor, not on\n"
     "arrays",
     ""},
    {"--stats", "", "instructions, proofs, sizes and times, on standard error", ""},
    {"--watch", "", "go on: compile again whenever a FILE changes, until interrupted", ""},
};

constexpr OptionInfo kRunOptions[] = {
    kEntry,
    {"--in", "NAME=FILE",
     "array NAME from a .npy, .npz (FILE.npz:KEY), .csv or .png file;\n"
     "FILE:bf16 for the bits of bf16 in u16",
     "FILE"},
    {"--out", "NAME=FILE:TYPE:SHAPE",
     "array NAME to such a file; starts as zeros, or as --in says, and\n"
     "then TYPE and SHAPE may be left out. TYPE: i8..i64 u8..u64 f16\n"
     "bf16 f32 f64; SHAPE: 1000, 30x40, 2x30x40, 2x2x30x40",
     "FILE"},
    {"--set", "NAME=VALUE", "scalar NAME: decimal, 0x, inf, nan", ""},
    {"--set-const", "NAME=VALUE", "a compile-time parameter or type variable", ""},
    {"--grid", "X,Y,Z", "blocks; without it whole blocks over the largest output", ""},
    {"--block", "X,Y,Z", "lanes of a block; without it the kernel's own, else 256", ""},
    {"--backend", "ENGINE", "auto (default), interpreter, cpu, cuda or opencl",
     "auto interpreter cpu cuda opencl"},
    {"--budget", "N", "rounds a lane may do of loops not proved to end; 2^24 without it", ""},
    {"--threads", "N", "threads at most; without it all cores that this process may use", ""},
    {"--class-base", "N", "0 to 95; cls.get gives (N + block.x) mod 96; 0 without it", ""},
    {"--nondeterministic", "", "allow writes whose order is open", ""},
    {"--expect", "HASH", "trust the native code of a bundle that has this hash", ""},
    {"--time", "", "times of each step, GB/s, share of the memory peak; standard error", ""},
    {"--trace", "FILE", "what happened when, for ui.perfetto.dev (docs/seeing.md)", "FILE"},
};

constexpr OptionInfo kProfileOptions[] = {
    kEntry,
    kRunOptions[1],  // --in
    kRunOptions[2],  // --out
    {"--set", "NAME=VALUE", "scalar NAME: decimal, 0x, inf, nan", ""},
    {"--set-const", "NAME=VALUE", "a compile-time parameter or type variable", ""},
    {"--grid", "X,Y,Z", "blocks; without it whole blocks over the largest output", ""},
    {"--block", "X,Y,Z", "lanes of a block; without it the kernel's own, else 256", ""},
    {"--budget", "N", "rounds a lane may do of loops not proved to end; 2^24 without it", ""},
    {"--nondeterministic", "", "allow writes whose order is open", ""},
};

constexpr OptionInfo kBenchOptions[] = {
    {"--entry", "NAME", "only this kernel; without it all of the file", ""},
    {"--size", "N,N,...", "elements of each array; without it 1000,65536,1048576,16777216", ""},
    {"--set", "NAME=VALUE", "scalar NAME; without it integers are N, floats 1", ""},
    {"--grid", "X,Y,Z", "blocks; without it whole blocks over N", ""},
    {"--block", "X,Y,Z", "lanes of a block; without it the kernel's own, else 256", ""},
    {"--backend", "ENGINE", "auto (default), interpreter, cpu, cuda or opencl",
     "auto interpreter cpu cuda opencl"},
    {"--budget", "N", "rounds a lane may do of loops not proved to end; 2^24 without it", ""},
    {"--threads", "N", "threads at most; without it all cores that this process may use", ""},
    {"--class-base", "N", "0 to 95; cls.get gives (N + block.x) mod 96; 0 without it", ""},
    {"--nondeterministic", "", "allow writes whose order is open", ""},
    {"--json", "", "as JSON", ""},
};

constexpr OptionInfo kCircuitOptions[] = {
    {"--file", "FILE", "each line of FILE is a circuit and gives one line of JSON", "FILE"},
    {"--mode", "MODE",
     "of compile and canon: memory (arrays; what canon does without it),\n"
     "gate, or none (as written; what compile does without it)",
     "memory gate none"},
    {"--json", "", "as JSON", ""},
};

constexpr OptionInfo kQsimOptions[] = {
    {"--shots", "N", "how often, 1 to 1000000; 1024 without it", ""},
    {"--seed", "N", "of the random numbers, below 2^64; 1 without it", ""},
    {"--json", "", "as JSON", ""},
};

constexpr OptionInfo kVerifyOptions[] = {
    {"--explain", "",
     "one line per access: proved or guarded, and why, and what native code makes\n"
     "of it; one for the kernel and for each loop",
     ""},
    {"--level", "LEVEL", "v2, v3 or v4: that code; the processor's own without it; none: no code",
     "v2 v3 v4 none"},
    kSetConst,
};
constexpr OptionInfo kOutputOption[] = {
    {"-o", "OUT", "the output", "FILE"},
};
constexpr OptionInfo kDoctorOptions[] = {
    {"--no-test", "", "only look at the machine", ""},
};

constexpr OptionInfo kJsonOption[] = {
    {"--json", "", "as JSON", ""},
};
constexpr OptionInfo kKernelsOptions[] = {
    {"--path", "FOLDER", "a folder of the user, besides those of HOLOGRAM_KERNEL_PATH", "FILE"},
    {"--all", "", "those of hg.ops too, with the file of each", ""},
    {"--json", "", "all of them as JSON", ""},
};

constexpr std::string_view kKernelFiles = ".py .json .yaml .yml .toml .circuit .hasm .holo .so";

constexpr CommandInfo kCommands[] = {
    {"compile", CompileCommand, "FILE...", kKernelFiles,
     "kernels to a bundle, assembly, an object, ...",
     "FILE is .py, .json, .yaml, .toml, .circuit, .hasm, .holo or .so. Everything is verified "
     "before "
     "anything is\n"
     "written.\n",
     kCompileOptions,
     "hologram compile blur.py                      # blur.holo, with native code\n"
     "hologram compile blur.py --emit asm           # see what it becomes\n"
     "hologram compile blur.py -o blur.o            # for a C program, with blur.h\n"
     "hologram compile a.py b.py -o all.holo --stats\n"
     "hologram compile blur.py --watch --emit asm   # again at each change\n"},
    {"run", RunCommand, "FILE|KERNEL", kKernelFiles, "one kernel on arrays from files",
     "KERNEL is one that hologram kernels lists.\n"
     "Outputs appear only if the launch succeeded; all of them, or none.\n",
     kRunOptions,
     "hologram run blur.py --in src=src.npy --out dst=dst.npy:f32:500 --set n=500\n"
     "hologram run blur.holo --in src=data.npz:src --out dst=dst.csv:f32:500 --set n=500 --time\n"
     "hologram run vector_exp --in x=x.npy --out y=y.npy:f32:500 --set n=500\n"
     "hologram run scores.holo --in x=x.npy --out y=y.npy   # a pipeline: no --set, no shapes\n"
     "hologram run sobel.py --in src=in.png --out dst=out.png:u8:512x512 --set width=512 \\\n"
     "    --set height=512 --grid 2,512,1 --block 256,1,1\n"},
    {"bench", BenchCommand, "FILE", kKernelFiles, "times of kernels at several sizes",
     "Every array has N elements: floats at random in [0, 1), integers at random below N (and\n"
     "below 128 for i8 and u8), always the same ones. A time is the median of many launches.\n"
     "GB/s counts each array once per direction; the share is that of c = a + b over as many\n"
     "bytes, measured in the same process. A size at which a kernel cannot run is an error.\n",
     kBenchOptions,
     "hologram bench saxpy.py\n"
     "hologram bench saxpy.py --size 4096 --backend interpreter\n"
     "hologram bench sobel.py --size 262144 --set width=512 --set height=512 \\\n"
     "    --grid 2,512,1 --block 256,1,1\n"},
    {"profile", ProfileCommand, "FILE|KERNEL", kKernelFiles, "counts of a launch by line",
     "The launch runs in the interpreter. A line has its executions by lanes; how many of 16\n"
     "neighbouring lanes run together on average; bytes from and to arrays; and its share of all\n"
     "steps, which are instructions, each counted for each lane.\n",
     kProfileOptions,
     "hologram profile blur.py --in src=src.npy --out dst=dst.npy:f32:500 --set n=500\n"},
    {"verify", VerifyCommand, "FILE...", kKernelFiles, "check kernels; silent when all is well", "",
     kVerifyOptions,
     "hologram verify kernels/*/*.py\n"
     "hologram verify blur.py --explain\n"},
    {"asm", AsmCommand, "FILE.hasm", ".hasm", "assembly to a bundle",
     "Without -o the bundle is FILE.holo. It is not verified: what loads it does that.\n",
     kOutputOption, "hologram asm blur.hasm -o blur.holo\n"},
    {"disasm", DisasmCommand, "FILE.holo", ".holo", "a bundle to assembly", "", kOutputOption,
     "hologram disasm blur.holo | less\n"},
    {"circuit", CircuitCommand, "eval|compile|canon CIRCUIT", "",
     "what a circuit means, the calls it stands for, its canonical form",
     "eval prints bytes, words and addresses; compile generator calls; canon the canonical text.\n",
     kCircuitOptions,
     "hologram circuit eval 'mark@c05'\n"
     "hologram circuit canon 'mark@c21 . mark@c21'\n"
     "hologram circuit compile --file circuits.txt --mode none\n"},
    {"qsim", QsimCommand, "FILE.qasm", ".qasm", "a quantum circuit in OpenQASM 2.0, simulated",
     "Prints a line for each outcome that was seen: the classical registers, the last declared\n"
     "first, each with its highest bit first, and how often. The same seed gives the same "
     "counts.\n",
     kQsimOptions,
     "hologram qsim bell.qasm\n"
     "hologram qsim bell.qasm --shots 100000 --seed 7 --json\n"},
    {"inspect", InspectCommand, "FILE.holo", ".holo",
     "what a bundle holds, after every section was compared with its hash", "", kJsonOption,
     "hologram inspect blur.holo\n"
     "hologram inspect blur.holo --json | jq -r .trust_hash\n"},
    {"kernels", KernelsCommand, "[NAME...]", "", "kernels that programs find, and where",
     "Without NAME: the kernels of the user, and the standard ones by groups. With NAME: origin, "
     "file\n"
     "and parameters; a NAME that no kernel has is the beginning of names. User beats bundled "
     "beats\n"
     "built-in; a kernel that a search does not find is listed as shadowed. Files that cannot be "
     "read\n"
     "are errors, after the rest was listed.\n",
     kKernelsOptions,
     "HOLOGRAM_KERNEL_PATH=~/kernels hologram kernels\n"
     "hologram kernels blur --path ~/kernels\n"
     "hologram kernels vector_\n"},
    {"isa", IsaCommand, "", "", "the instructions", "", kJsonOption, "hologram isa | grep cvt\n"},
    {"devices", DevicesCommand, "", "", "what can run kernels here", "", {}, "hologram devices\n"},
    {"doctor", DoctorCommand, "", "",
     "what decides how kernels run here, and a test of every engine",
     "Fifty kernels are run on each engine, and their results compared with published ones.\n"
     "Exit code 1 if a line begins with BAD.\n",
     kDoctorOptions, "hologram doctor\n"},
    {"completion",
     CompletionCommand,
     "bash|zsh|fish",
     "",
     "completions for a shell",
     "The script goes to standard output.\n",
     {},
     "hologram completion bash > /etc/bash_completion.d/hologram\n"
     "hologram completion zsh > ~/.zfunc/_hologram       # a folder of $fpath\n"
     "hologram completion fish > ~/.config/fish/completions/hologram.fish\n"},
};

constexpr size_t kAboutColumn = 34;
constexpr size_t kCommandColumn = 13;

// `text` in lines that start at `column`; the first begins where the line is.
std::string Indented(std::string_view text, size_t column) {
  std::string result;
  for (char c : text) {
    result += c;
    if (c == '\n') result += std::string(column, ' ');
  }
  return result;
}

}  // namespace

std::span<const CommandInfo> AllCommands() {
  return kCommands;
}

const CommandInfo* FindCommand(std::string_view name) {
  for (const CommandInfo& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

Options ReadOptions(std::string_view name, const Arguments& arguments) {
  std::vector<std::string_view> flags;
  std::vector<std::string_view> values;
  for (const OptionInfo& option : FindCommand(name)->options) {
    (option.value.empty() ? flags : values).push_back(option.name);
  }
  return Options(arguments, flags, values);
}

std::string HelpFor(const CommandInfo& command) {
  std::string text = "usage: hologram " + std::string(command.name);
  if (!command.arguments.empty()) text += " " + std::string(command.arguments);
  if (!command.options.empty()) text += " [OPTION...]";
  text += "\n  " + std::string(command.about) + "\n";
  if (!command.more.empty()) {
    text += "\n  " + Indented(command.more.substr(0, command.more.size() - 1), 2) + "\n";
  }
  if (!command.options.empty()) text += "\noptions:\n";
  for (const OptionInfo& option : command.options) {
    std::string line = "  " + std::string(option.name);
    if (!option.value.empty()) line += " " + std::string(option.value);
    line += line.size() < kAboutColumn ? std::string(kAboutColumn - line.size(), ' ') : " ";
    text += line + Indented(option.about, kAboutColumn) + "\n";
  }
  text += "\nexamples:\n  " + Indented(command.examples.substr(0, command.examples.size() - 1), 2) +
          "\n";
  return text;
}

std::string Overview() {
  std::string text = "usage: hologram COMMAND ...\n\n";
  for (const CommandInfo& command : kCommands) {
    std::string line = "  " + std::string(command.name);
    line.resize(kCommandColumn, ' ');
    text += line + std::string(command.about) + "\n";
  }
  return text +
         "\nhologram COMMAND --help shows options and examples, hologram --version the version.\n";
}

}  // namespace hologram::tool
