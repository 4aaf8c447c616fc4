// The modules that `messages.ts` of the build makes.
declare module '#messages/*' {
  const catalogue: import('./client/engine-words').Catalogue;
  export default catalogue;
}
