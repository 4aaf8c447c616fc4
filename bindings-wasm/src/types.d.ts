import type { ModelInfo, Operations, ParsedPage } from "./contract.js";
export type { ModelInfo, Operations, ParsedPage };

/** What every call throws when it fails. */
export interface UbpError extends Error {
  /** A stable name for programs. */
  code: string;
  /** The way out, where there is one. */
  hint: string | null;
}

/** A file of a dropped folder. */
export interface DroppedFile {
  /** Its path in the folder, `/`-separated. */
  path: string;
  bytes: Uint8Array;
  /** When it was changed last, in milliseconds since 1970. */
  modified: number;
}

/** What turns text into vectors: the `Encoder` of the semantic module, or another. */
export interface TextEncoding {
  /** A vector of length 1 for every text, in order. */
  embed(kind: "query" | "passage", texts: string[]): Float32Array[];
  /** Where every token of a text begins and ends, as UTF-8 bytes: start, end, start, end, … */
  tokenRanges(text: string): Uint32Array;
}

export interface Project {
  /** Runs an operation. Throws a `UbpError`. */
  call<N extends keyof Operations>(name: N, params?: Operations[N]["params"]): Operations[N]["output"];
}
