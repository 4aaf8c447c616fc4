// What `import "ubp"` gives: the same, not a second copy.
import ubp from "./index.cjs";

export const { UbpError, open, openSync, run } = ubp;
