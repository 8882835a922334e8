// Loaded before kinesalite: its clock differs from the machine's by the milliseconds in a file, so that
// tests can store records of last week, which retention then trims.
"use strict";

const { readFileSync } = require("fs");
const now = Date.now;

Date.now = function () {
  try {
    return now() + Number(readFileSync(process.env.KINESALITE_CLOCK, "utf8"));
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return now();
  }
};
