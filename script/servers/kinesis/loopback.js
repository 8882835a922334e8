// Loaded before an emulator that would listen on all interfaces: whatever it listens on becomes loopback.
"use strict";

const { Server } = require("net");
const listen = Server.prototype.listen;

Server.prototype.listen = function (...parameters) {
  const [first, second] = parameters;
  if (first !== null && typeof first === "object" && first.port !== undefined) {
    parameters[0] = { ...first, host: "127.0.0.1" };
  } else if (typeof second === "string") {
    parameters[1] = "127.0.0.1";
  } else {
    parameters.splice(1, 0, "127.0.0.1");
  }
  return listen.apply(this, parameters);
};
