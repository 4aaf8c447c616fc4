// The only error that this package throws.
"use strict";

class UbpError extends Error {
  constructor({ code, message, hint }, options) {
    super(message, options);
    this.code = code;
    this.hint = hint ?? null;
  }
}
Object.defineProperty(UbpError.prototype, "name", { value: "UbpError", configurable: true, writable: true });

module.exports = { UbpError };
