#!/usr/bin/env node
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as modules from "node:module";
import { constants } from "node:os";
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
// V8 takes the first only when a process starts: without it the peak at 10,000 documents is some 60 MB higher
// (docs/internals/decisions.md). Commands that only ask a server start without: starting twice takes a sixth of their time.
const memory = ["--max-semi-space-size=8", "--heap-growing-percent=30"];
const holdsMuch = ["serve", "api", "worker", "mcp", "import", "export", "reindex"].includes(process.argv[2]);
const flags = holdsMuch && process.platform !== "win32" ? memory : [];
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
  const args = [...flags, import.meta.filename ?? process.argv[1], ...process.argv.slice(2)];
  if (typeof process.execve === "function") process.execve(node, [node, ...args]);
  // The channel tells the program when this process has ended, however.
  const child = spawn(node, args, { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  whenLeftBehind(() => child.kill("SIGTERM"));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}

/** Calls back when this process is left behind: npm starts it through a shell, and either may be ended alone. */
function whenLeftBehind(callback) {
  process.once("disconnect", callback);
  process.channel?.unref();
  const { npm_lifecycle_event: event, npm_package_name: name } = process.env;
  if (event !== "npx" && !(event === "start" && name === "lectern")) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, 1000).unref();
}

async function start() {
  // Under `node --watch` this process is not replaced, to go on telling its parent what it has loaded.
  const isReplaced = flags.length === 0 || process.execArgv.includes(flags[0]);
  if (!isReplaced && process.send === undefined)
    process.execve(process.execPath, [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)]);
  whenLeftBehind(() => process.kill(process.pid, "SIGTERM"));
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
