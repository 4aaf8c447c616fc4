// The exports of `require("ubp")`.
"use strict";

const { UbpError, open, openSync, run } = require("./client.cjs");

module.exports = { UbpError, open, openSync, run };
