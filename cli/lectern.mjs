#!/usr/bin/env node
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as modules from "node:module";
import { join } from "node:path";

// Says which Node is wanted before anything is loaded that an older one cannot read; everything else is in main.ts.
const [major, minor] = process.versions.node.split(".").map(Number);
const isOld = major < 24 || (major === 24 && minor < 15);
const brought = isOld ? bringAlong() : undefined;
if (isOld && brought === undefined) {
  console.error(
    `Lectern needs Node 24.15 or newer, and this is ${process.version}. On Linux installing Lectern brings it along: \`npm ci\` in a clone, then start with \`npm start\` or \`npx lectern\`. Elsewhere install Node 24.`,
  );
  process.exit(1);
}
if (brought === undefined) await start();
else handOver(brought);

/** The Node that was installed with the packages; undefined where there is none for this machine. */
function bringAlong() {
  const resolve = modules.createRequire(import.meta.url).resolve;
  try {
    return join(resolve(`node-${process.platform}-${process.arch}/package.json`), "..", "bin", "node");
  } catch {
    return undefined;
  }
}

/** Runs the program on another Node, in place of this process where that is possible, else below it. */
function handOver(node) {
  const args = [import.meta.filename ?? process.argv[1], ...process.argv.slice(2)];
  if (typeof process.execve === "function") process.execve(node, [node, ...args]);
  const child = spawn(node, args, { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGKILL" ? 137 : 1);
  });
}

async function start() {
  // V8 takes the first only when a process starts, so this one is replaced: without it the peak at 10,000 documents is some
  // 60 MB higher (docs/internals/decisions.md). Under `node --watch` it stays, to go on telling its parent what it has loaded.
  // Commands that only ask a server are not: starting twice takes a sixth of their time.
  const holdsMuch = ["serve", "api", "worker", "mcp", "import", "export", "reindex"].includes(process.argv[2]);
  const memory = ["--max-semi-space-size=8", "--heap-growing-percent=30"];
  const isReplaced = process.execArgv.includes(memory[0]);
  if (holdsMuch && !isReplaced && process.send === undefined && process.platform !== "win32")
    process.execve(process.execPath, [process.execPath, ...memory, ...process.execArgv, ...process.argv.slice(1)]);
  // Compiled sources are kept, so that neither this process nor its threads compile them again at the next start. A folder
  // that cannot be written only costs that time.
  modules.enableCompileCache(join(import.meta.dirname, "..", "node_modules", ".cache", "lectern"));
  const cache = modules.getCompileCacheDir();
  if (cache !== undefined) process.env["NODE_COMPILE_CACHE"] = cache;

  // What was packed has no sources, but what was made of them: Node strips no types below node_modules.
  const isPacked = !existsSync(join(import.meta.dirname, "main.ts"));
  const { main } = await import(isPacked ? "../dist/cli/main.js" : "./main.ts");
  await main(process.argv.slice(2));
}
