import type { ModelInfo, Operations, ParsedPage } from "./contract.js";
export type { ModelInfo, Operations, ParsedPage };

/** The error of every call. */
export interface UbpError extends Error {
  /** A stable name for programs. */
  code: string;
  /** How to fix it, if known. */
  hint: string | null;
}

/** The language of the person who reads answers. */
export interface Words {
  /** An English template in the language; undefined if it stays as it is. */
  translated(english: string): string | undefined;
  /** English words of a library, or of a page's diagnostics, in the language. */
  retold(english: string): string | undefined;
}

/** A file of a dropped folder. */
export interface DroppedFile {
  /** Its path in the folder, `/`-separated. */
  path: string;
  bytes: Uint8Array;
  /** Time of the last change, in milliseconds since 1970. */
  modified: number;
}

/** Turns text into vectors: the `Encoder` of the semantic module, or another. */
export interface TextEncoding {
  /** A vector of length 1 for each text, in order. */
  embed(kind: "query" | "passage", texts: string[]): Float32Array[];
  /** Ranges of the tokens of a text, in UTF-8 bytes: start, end, start, end, … */
  tokenRanges(text: string): Uint32Array;
}

export interface Project {
  /** Runs an operation. Throws a `UbpError`. */
  call<N extends keyof Operations>(name: N, params?: Operations[N]["params"]): Operations[N]["output"];
}
