// The types of hologram.js (docs/webassembly.md, docs/site.md).

export type TypedArray =
  | Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array
  | BigInt64Array | BigUint64Array | Float32Array | Float64Array;
/** An array of several dimensions, rows without gaps. */
export interface Shaped {
  data: TypedArray;
  shape?: number[];
}
export type Argument = TypedArray | Shaped | number | bigint | boolean;
/** The shape of a launch. */
export interface Config {
  grid?: number[];
  block?: number[];
  deterministic?: boolean;
}
export interface Parameter {
  name: string;
  buffer: boolean;
  type: string;
  code: number;
  direction: "in" | "out" | "inout";
  rank: number;
}
export interface Diagnostic {
  code: number;
  message: string;
  text: string;
  file: string;
  line: number;
  column: number;
}
export interface Launched {
  engine: string;
  reason: string;
  condition: string;
  checked: boolean;
  grid: number[];
  block: number[];
  prints: string;
  /** Of a compiled kernel that its code did not run: why. */
  declined?: string;
}

/** HOLOGRAM_ERROR_* of hologram.h. */
export const ErrorCode: Readonly<Record<
  | "invalidText" | "invalidKernel" | "invalidProgram" | "invalidBundle" | "invalidArgument" | "fault"
  | "notFound" | "unsupported" | "resourceLimit" | "internal" | "cancelled", number>>;

export class HologramError extends Error {
  readonly code: number;
  readonly errors: Diagnostic[];
  readonly launched?: Launched;
}

// ---- The engine

export function load(module: BufferSource | WebAssembly.Module): Promise<Engine>;

export class Engine {
  private constructor();
  compileJson(text: string, file?: string): Module;
  loadBundle(bytes: Uint8Array): Module;
  circuit(text: string, mode?: "memory" | "gate" | "none"): string;
  readArray(bytes: Uint8Array, name: string, type?: string): { type: string; shape: number[]; bytes: ArrayBuffer };
  readonly bytes: number;
}

export class Module {
  private constructor();
  kernels: Record<string, Kernel>;
  release(): void;
}

interface AnyKernel {
  readonly name: string;
  /** The identity of the program, 64 hex digits. */
  readonly id: string;
  /** Lanes of a block where a launch has none. */
  readonly block: number;
  readonly parameters: Parameter[];
  launch(...values: (Argument | Config)[]): Launched;
}

export class Kernel implements AnyKernel {
  private constructor();
  readonly name: string;
  readonly id: string;
  readonly block: number;
  readonly parameters: Parameter[];
  launch(...values: (Argument | Config)[]): Launched;
  view(form: "asm" | "explain" | "circuit" | "calls" | "written" | "operations"): string;
}

// ---- Compiled kernels

export function loadCompiled(
  bytes: BufferSource,
  options?: { engine?: Engine; heap?: Heap; fused?: boolean },
): Promise<CompiledModule>;

/** Whether relaxed_madd exists here and rounds once. */
export function isMaddFused(): boolean;

export class CompiledModule {
  private constructor();
  kernels: Record<string, CompiledKernel>;
  readonly heap: Heap;
  readonly fused: boolean;
}

export class CompiledKernel implements AnyKernel {
  private constructor();
  readonly name: string;
  readonly id: string;
  readonly block: number;
  readonly parameters: Parameter[];
  launch(...values: (Argument | Config)[]): Launched;
}

export class Heap {
  constructor(options?: { bytes?: number });
  readonly memory: WebAssembly.Memory;
  array(type: string, shape: number | number[]): HeapArray;
}

export class HeapArray {
  private constructor();
  /** A view that the growth of the memory takes away. */
  readonly data: TypedArray;
  shape: number[];
  release(): void;
}
