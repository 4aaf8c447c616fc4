// The modules that build.mjs makes.
declare module '#engine/base.packed' {
  /** The compiled base module: gzip, then base64. */
  const packed: string;
  export default packed;
}

declare module '#thread' {
  /** The script of the engine's thread. */
  const script: string;
  export default script;
}
