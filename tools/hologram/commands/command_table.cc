#include "commands/command_table.h"

namespace hologram::tool {
namespace {

constexpr OptionInfo kEntry = {"--entry", "NAME", "the kernel, where the file has several", ""};

constexpr OptionInfo kSetConst = {
    "--set-const", "NAME=VALUE[,VALUE...]",
    "a compile-time parameter or type variable; one kernel for each value", ""};

// Of the commands that launch.
constexpr OptionInfo kIn = {"--in", "NAME=FILE",
                            "read array NAME from a .npy, .npz (FILE.npz:KEY), .csv or .png file;\n"
                            "FILE:bf16 for the bits of bf16 in u16",
                            "FILE"};
constexpr OptionInfo kOut = {
    "--out", "NAME=FILE:TYPE:SHAPE",
    "write array NAME to such a file; it starts as zeros, or as --in says,\n"
    "and then TYPE and SHAPE may be left out. TYPE: i8..i64 u8..u64 f16\n"
    "bf16 f32 f64; SHAPE: 1000, 30x40, 2x30x40, 2x2x30x40",
    "FILE"};
constexpr OptionInfo kSet = {"--set", "NAME=VALUE", "scalar NAME: decimal, 0x, inf, nan", ""};
constexpr OptionInfo kSetOneConst = {"--set-const", "NAME=VALUE",
                                     "a compile-time parameter or type variable", ""};
constexpr OptionInfo kGrid = {"--grid", "X,Y,Z",
                              "blocks (default: as many as cover the largest output)", ""};
constexpr OptionInfo kBlock = {"--block", "X,Y,Z",
                               "lanes of a block (default: the kernel's own, else 256)", ""};
constexpr OptionInfo kBudget = {
    "--budget", "N", "rounds allowed per lane in loops not proved to end (default 2^24)", ""};
constexpr OptionInfo kNondeterministic = {"--nondeterministic", "", "allow races between lanes",
                                          ""};

constexpr OptionInfo kCompileOptions[] = {
    {"-o", "OUT",
     "the output (default: standard output for text, beside FILE for other\n"
     "forms)",
     "FILE"},
    kEntry,
    {"--emit", "FORM",
     "what to write (default: by the suffix of OUT, else holo):\n"
     "json    kernel JSON                     .json\n"
     "circuit canonical circuit               .circuit\n"
     "calls   generator calls of the circuit  .calls\n"
     "asm     Atlas assembly                  .hasm\n"
     "holo    bundle with native code         .holo\n"
     "header  C header of obj and so          .h\n"
     "obj     object, with header beside it   .o\n"
     "so      shared library, with header     .so\n"
     "llvm    LLVM IR                         .ll\n"
     "ptx     PTX                             .ptx\n"
     "spirv   SPIR-V for OpenCL               .spv\n"
     "wasm    WebAssembly for hologram.js     .wasm\n"
     "tvm-ffi shared library for tvm-ffi      .so, by name only",
     "json circuit calls asm holo header obj so llvm ptx spirv wasm tvm-ffi"},
    {"--level", "LEVEL",
     "processor of header, obj, so and llvm: v2, v3 or v4 (default) of\n"
     "x86-64, or aarch64",
     "v2 v3 v4 aarch64"},
    {"--arch", "ARCH", "for ptx: sm_80 (default) or sm_90", "sm_80 sm_90"},
    {"--native", "WHICH",
     "native code in a bundle, also that of tvm-ffi: all (v3 and v4; an\n"
     "error where it cannot be made), none, or levels as v3,v4,aarch64\n"
     "(default: all, if the compiler plugin is there)",
     "all none v2 v3 v4 aarch64"},
    {"--header", "FILE",
     "for holo: file name and trust hash as C++ constants; for obj and so:\n"
     "the C header, if not beside OUT",
     "FILE"},
    {"--embed", "", "with --header: the bundle itself too, as a constexpr array", ""},
    {"--manifest", "FILE", "for holo: its contents as JSON, as inspect --json prints them", "FILE"},
    {"--cache", "FOLDER",
     "for holo and tvm-ffi: keep native code in FOLDER, and reuse that of\n"
     "kernels that have not changed",
     "FILE"},
    kSetConst,
    {"--canonical", "",
     "compile kernels that are circuits from their canonical circuit, so\n"
     "that equal ones become equal programs",
     ""},
    {"--class-memory", "",
     "compile .circuit files for the class memory of an executor, not for\n"
     "arrays",
     ""},
    {"--stats", "", "print instructions, proofs, sizes and times to standard error", ""},
    {"--watch", "", "keep running and recompile when a FILE changes, until interrupted", ""},
};

constexpr OptionInfo kRunOptions[] = {
    kEntry,
    kIn,
    kOut,
    kSet,
    kSetOneConst,
    kGrid,
    kBlock,
    {"--backend", "ENGINE", "auto (default), interpreter, cpu, cuda or opencl",
     "auto interpreter cpu cuda opencl"},
    kBudget,
    {"--threads", "N", "most threads (default: all cores that this process may use)", ""},
    {"--class-base", "N", "0 to 95; cls.get gives (N + block.x) mod 96 (default 0)", ""},
    kNondeterministic,
    {"--expect", "HASH", "trust the native code of a bundle that has this hash", ""},
    {"--stream", "",
     "read, compute and write windows of the arrays (docs/scale.md): files are .npy\n"
     "or raw, '-' is standard input or output; --set n=len(NAME)",
     ""},
    {"--window", "BYTES", "of the inputs of a window together (default 1048576)", ""},
    {"--time", "", "print times, GB/s and share of the memory peak to standard error", ""},
    {"--trace", "FILE", "write a trace for ui.perfetto.dev (docs/seeing.md)", "FILE"},
};

constexpr OptionInfo kProfileOptions[] = {
    kEntry,
    kIn,
    kOut,
    kSet,
    kSetOneConst,
    kGrid,
    kBlock,
    kBudget,
    kNondeterministic,
    {"--backend", "ENGINE",
     "what counts: interpreter (default), or cpu: instrumented native code,\n"
     "faster, in its own vectors",
     "interpreter cpu"},
    {"--svg", "FILE", "write the roofline as a picture", "FILE"},
    {"--lines", "FILE", "write the table as a picture", "FILE"},
};

constexpr OptionInfo kDrawOptions[] = {
    {"-o", "OUT", "the SVG file (default: standard output)", "FILE"},
    kEntry,
    {"--as", "FORM",
     "flow (default): control flow with proofs, and with --in and --out what\n"
     "the launch did; walk: which parts of the arrays each block reads and\n"
     "writes; circuit: values (default of .circuit files); pipeline: launches\n"
     "(default of pipelines)",
     "flow walk circuit pipeline"},
    kIn,
    kOut,
    kSet,
    kSetOneConst,
    kGrid,
    kBlock,
};

constexpr OptionInfo kDebugOptions[] = {
    kEntry,
    {"--lane", "N",
     "stop before the first line of lane N, by its number in the launch;\n"
     "only this one has breakpoints",
     ""},
    {"--listen", "PORT", "of 127.0.0.1 (default 5678; 0: one that is free)", ""},
    kIn,
    kOut,
    kSet,
    kSetOneConst,
    kGrid,
    kBlock,
    kBudget,
    kNondeterministic,
};

constexpr OptionInfo kBenchOptions[] = {
    {"--entry", "NAME", "only this kernel (default: all of the file)", ""},
    {"--size", "N,N,...", "elements of each array (default 1000,65536,1048576,16777216)", ""},
    {"--set", "NAME=VALUE", "scalar NAME (default: N for integers, 1 for floats)", ""},
    {"--grid", "X,Y,Z", "blocks (default: as many as cover N)", ""},
    kBlock,
    {"--backend", "ENGINE", "auto (default), interpreter, cpu, cuda or opencl",
     "auto interpreter cpu cuda opencl"},
    kBudget,
    {"--threads", "N", "most threads (default: all cores that this process may use)", ""},
    {"--class-base", "N", "0 to 95; cls.get gives (N + block.x) mod 96 (default 0)", ""},
    kNondeterministic,
    {"--json", "", "as JSON", ""},
};

constexpr OptionInfo kCircuitOptions[] = {
    {"--file", "FILE", "each line of FILE is a circuit and gives one line of JSON", "FILE"},
    {"--mode", "MODE",
     "for compile and canon: memory (arrays; the default of canon), gate,\n"
     "or none (as written; the default of compile)",
     "memory gate none"},
    {"--json", "", "as JSON", ""},
};

constexpr OptionInfo kQsimOptions[] = {
    {"--shots", "N", "number of shots, 1 to 1000000 (default 1024)", ""},
    {"--seed", "N", "seed of the random numbers, below 2^64 (default 1)", ""},
    {"--json", "", "as JSON", ""},
    {"--draw", "FILE", "write the circuit to FILE.svg or FILE.png", ".svg"},
    {"--histogram", "FILE", "write the counts to FILE.svg or FILE.png", ".svg"},
    {"--no-pictures", "", "write no picture", ""},
    {"--single", "", "single precision: half the memory and time", ""},
    {"--kernels", "", "apply the gates by verified kernels of the standard library", ""},
    {"--threads", "N", "at most this many threads (default: all processors)", ""},
};

constexpr OptionInfo kCycleOptions[] = {
    {"--gates", "LETTERS", "gates to apply to the position, of I H X Y Z S T", ""},
    {"--solve", "SYSTEM", "solve linear equations modulo 768: '2 3 = 7; 4 0 = 8'", ""},
    {"--state", "POSITIONS", "several positions, or phi+ phi- psi+ psi- w, 'ghz 4'", ""},
    {"--steps", "STEPS",
     "with --state, what to do: 'constrain 0:1 1:1 = 0; S 0; cnot 0 2; measure 1'", ""},
};

constexpr OptionInfo kVerifyOptions[] = {
    {"--explain", "",
     "one line per access: proved or guarded, why, and how it is compiled;\n"
     "one for the kernel and for each loop",
     ""},
    {"--level", "LEVEL", "code for v2, v3, v4 or aarch64 (default: this processor's), or none",
     "v2 v3 v4 aarch64 none"},
    kSetConst,
};
constexpr OptionInfo kOutputOption[] = {
    {"-o", "OUT", "the output", "FILE"},
};
constexpr OptionInfo kDoctorOptions[] = {
    {"--no-test", "", "show the environment only", ""},
};

constexpr OptionInfo kJsonOption[] = {
    {"--json", "", "as JSON", ""},
};
constexpr OptionInfo kKernelsOptions[] = {
    {"--path", "FOLDER", "a folder of kernels, besides those of HOLOGRAM_KERNEL_PATH", "FILE"},
    {"--all", "", "those of hg.ops too, with the file of each", ""},
    {"--json", "", "all of them as JSON", ""},
};

constexpr std::string_view kKernelFiles = ".py .json .yaml .yml .toml .circuit .hasm .holo .so";

constexpr CommandInfo kCommands[] = {
    {"compile", CompileCommand, "FILE...", kKernelFiles,
     "compile kernels to a bundle, assembly, an object, ...",
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
    {"run", RunCommand, "FILE|KERNEL", kKernelFiles, "run one kernel on arrays from files",
     "KERNEL is one that hologram kernels lists.\n"
     "Outputs appear only if the launch succeeded; all of them, or none.\n",
     kRunOptions,
     "hologram run blur.py --in src=src.npy --out dst=dst.npy:f32:500 --set n=500\n"
     "hologram run blur.holo --in src=data.npz:src --out dst=dst.csv:f32:500 --set n=500 --time\n"
     "hologram run vector_exp --in x=x.npy --out y=y.npy:f32:500 --set n=500\n"
     "hologram run blur.holo --stream --in src=big.npy --out dst=out.npy --set n='len(src)'\n"
     "hologram run scores.holo --in x=x.npy --out y=y.npy   # a pipeline: no --set, no shapes\n"
     "hologram run sobel.py --in src=in.png --out dst=out.png:u8:512x512 --set width=512 \\\n"
     "    --set height=512 --grid 2,512,1 --block 256,1,1\n"},
    {"bench", BenchCommand, "FILE|KERNEL", kKernelFiles, "time kernels at several sizes",
     "KERNEL is one that hologram kernels lists.\n"
     "Every array has N elements: floats at random in [0, 1), integers at random below N (and\n"
     "below 128 for i8 and u8), always the same ones. A time is the median of many launches.\n"
     "GB/s counts each array once per direction; the share is that of c = a + b over as many\n"
     "bytes, measured in the same process. A size at which a kernel cannot run is an error.\n",
     kBenchOptions,
     "hologram bench saxpy.py\n"
     "hologram bench vector_add --size 1048576\n"
     "hologram bench saxpy.py --size 4096 --backend interpreter\n"
     "hologram bench sobel.py --size 262144 --set width=512 --set height=512 \\\n"
     "    --grid 2,512,1 --block 256,1,1\n"},
    {"profile", ProfileCommand, "FILE|KERNEL", kKernelFiles,
     "count and time a launch by source line",
     "The launch runs in the interpreter, or in instrumented native code. A line has its\n"
     "executions by lanes; how many of 16 neighbouring lanes run together on average; bytes from\n"
     "and to arrays; and its share of all steps, which are instructions, each counted for each\n"
     "lane. Then native code runs on one thread: its share of the time, by sampling, and what it\n"
     "reached of what the machine can do.\n",
     kProfileOptions,
     "hologram profile blur.py --in src=src.npy --out dst=dst.npy:f32:500 --set n=500\n"
     "hologram profile blur.py --in src=src.npy --out dst=dst.npy:f32:500 --set n=500 --svg "
     "r.svg\n"},
    {"draw", DrawCommand, "FILE|KERNEL", kKernelFiles,
     "draw a kernel, a circuit or a pipeline as SVG", "Arrays that --out names are not written.\n",
     kDrawOptions,
     "hologram draw blur.py -o blur.svg\n"
     "hologram draw blur.py --in src=src.npy --out dst=dst.npy:f32:500 --set n=500 -o hot.svg\n"
     "hologram draw saxpy.py --as circuit -o saxpy.svg\n"
     "hologram draw scores.holo -o scores.svg\n"},
    {"debug", DebugCommand, "FILE.py", ".py", "run a kernel as plain Python under a debugger",
     "Waits for a debugger that speaks the Debug Adapter Protocol, and runs the launch lane by\n"
     "lane, with the bits of compiled code. lanes(\"x\") in its console gives the x of all lanes.\n"
     "Needs the Python packages debugpy and numpy.\n",
     kDebugOptions,
     "hologram debug blur.py --in src=src.npy --out dst=dst.npy:f32:500 --set n=500 --lane 7\n"},
    {"verify", VerifyCommand, "FILE...", kKernelFiles, "check kernels; silent when all is well", "",
     kVerifyOptions,
     "hologram verify kernels/*/*.py\n"
     "hologram verify blur.py --explain\n"},
    {"asm", AsmCommand, "FILE.hasm", ".hasm", "assemble a bundle",
     "Without -o the bundle is FILE.holo. It is verified when it is loaded.\n", kOutputOption,
     "hologram asm blur.hasm -o blur.holo\n"},
    {"disasm", DisasmCommand, "FILE.holo", ".holo", "disassemble a bundle", "", kOutputOption,
     "hologram disasm blur.holo | less\n"},
    {"circuit", CircuitCommand, "eval|compile|canon CIRCUIT", "",
     "evaluate, compile or canonicalize a circuit",
     "eval prints bytes, words and addresses; compile prints generator calls; canon prints the\n"
     "canonical text.\n",
     kCircuitOptions,
     "hologram circuit eval 'mark@c05'\n"
     "hologram circuit canon 'mark@c21 . mark@c21'\n"
     "hologram circuit compile --file circuits.txt --mode none\n"},
    {"qsim", QsimCommand, "FILE.qasm", ".qasm", "simulate a quantum circuit in OpenQASM",
     "FILE is OpenQASM 2.0, or of the common part of 3.0.\n"
     "Prints a line for each outcome: the classical registers, the last declared first, each with\n"
     "its highest bit first, and the count. The same seed gives the same counts.\n"
     "Writes FILE-circuit.svg and FILE-counts.svg to the current folder, unless pictures are "
     "named\n"
     "or the counts are JSON.\n",
     kQsimOptions,
     "hologram qsim bell.qasm\n"
     "hologram qsim bell.qasm --shots 100000 --seed 7 --json\n"
     "hologram qsim grover.qasm --draw grover.svg --histogram counts.png\n"},
    {"cycle", CycleCommand, "[POSITION]", "", "positions and equations modulo 768",
     "Prints how the position reads, or all solutions of the equations: a point, and for each\n"
     "direction how many steps of it differ; or, where there are none, multiples of the equations\n"
     "that contradict each other; or a state after steps: its positions and constraints.\n",
     kCycleOptions,
     "hologram cycle 471 --gates HXT\n"
     "hologram cycle --state 'ghz 3' --steps 'T 0; measure 2'\n"
     "hologram cycle --solve '2 3 = 7; 4 0 = 8'\n"},
    {"inspect", InspectCommand, "FILE.holo", ".holo",
     "check a bundle's hashes and list its contents", "", kJsonOption,
     "hologram inspect blur.holo\n"
     "hologram inspect blur.holo --json | jq -r .trust_hash\n"},
    {"kernels", KernelsCommand, "[NAME...]", "", "list the kernels that can be found by name",
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
    {"isa", IsaCommand, "", "", "list the instructions", "", kJsonOption,
     "hologram isa | grep cvt\n"},
    {"devices",
     DevicesCommand,
     "",
     "",
     "list the engines on this machine",
     "",
     {},
     "hologram devices\n"},
    {"doctor", DoctorCommand, "", "", "show the environment; test every engine",
     "Runs fifty kernels on each engine and compares the results with published ones.\n"
     "Exit code 1 if a line begins with BAD.\n",
     kDoctorOptions, "hologram doctor\n"},
    {"completion",
     CompletionCommand,
     "bash|zsh|fish",
     "",
     "print completions for a shell",
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
  std::string text =
      "usage: hologram COMMAND ...\n\n"
      "Compiles numeric kernels, written in Python, to small verified files, and runs them.\n\n";
  for (const CommandInfo& command : kCommands) {
    std::string line = "  " + std::string(command.name);
    line.resize(kCommandColumn, ' ');
    text += line + std::string(command.about) + "\n";
  }
  return text +
         "\nhologram COMMAND --help shows options and examples, hologram --version the version.\n";
}

}  // namespace hologram::tool
