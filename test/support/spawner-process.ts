import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ProgramEnd, SpawnedProgram } from "./spawner.ts";

/** Runs the program of the header: the request body is its input, the response its output, and the trailer its exit code and errors. */
const server = createServer((request, response) => {
  const { command, args, env } = JSON.parse(decodeURIComponent(String(request.headers["x-program"]))) as SpawnedProgram;
  const child = spawn(command, args, { env });
  let errors = "";
  // A program that reads no input may have ended.
  child.stdin.on("error", () => undefined);
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  request.pipe(child.stdin);
  response.on("close", () => child.kill());
  response.writeHead(200, { trailer: "x-end" });
  child.stdout.pipe(response, { end: false });
  child.on("close", (code) => {
    const end: ProgramEnd = { code, errors: errors.slice(0, 1000) };
    response.addTrailers({ "x-end": encodeURIComponent(JSON.stringify(end)) });
    response.end();
  });
});
// A connection that closes after being idle would fail the request that reuses it at that moment.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
