#!/usr/bin/env node
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as modules from "node:module";
import { constants } from "node:os";
import { join } from "node:path";

// Checks the version of Node before loading anything that older versions cannot parse; everything else is in main.ts.
const [major, minor] = process.versions.node.split(".").map(Number);
const isOld = major < 24 || (major === 24 && minor < 15);
const bundledNode = isOld ? findBundledNode() : undefined;
if (isOld && bundledNode === undefined) {
  console.error(
    `Lectern needs Node 24.15 or newer, and this is ${process.version}. On Linux, installing Lectern also installs Node 24: \`npm ci\` in a clone, then start with \`npm start\`. Elsewhere install Node 24.`,
  );
  process.exit(1);
}
// V8 reads the first flag only when a process starts; without it the peak at 10,000 documents is some 60 MB higher
// (docs/internals/decisions.md). Commands that only call a server omit them, as starting twice takes a sixth of their time.
const memory = ["--max-semi-space-size=8", "--heap-growing-percent=30"];
const holdsMuch = ["serve", "api", "worker", "mcp", "import", "export", "reindex"].includes(process.argv[2]);
const flags = holdsMuch && process.platform !== "win32" ? memory : [];
if (bundledNode === undefined) await start();
else handOver(bundledNode);

/** The path of the Node that npm installed with Lectern; undefined on platforms without such a package. */
function findBundledNode() {
  const resolve = modules.createRequire(import.meta.url).resolve;
  try {
    return join(resolve(`node-${process.platform}-${process.arch}/package.json`), "..", "bin", "node");
  } catch {
    return undefined;
  }
}

/** Runs the program on another Node: replaces this process if possible, else starts a child. */
function handOver(node) {
  const args = [...flags, import.meta.filename ?? process.argv[1], ...process.argv.slice(2)];
  if (typeof process.execve === "function") process.execve(node, [node, ...args]);
  // The IPC channel closes when this process ends for any reason.
  const child = spawn(node, args, { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  whenOrphaned(() => child.kill("SIGTERM"));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}

/** Calls back when this process is orphaned: npm starts it through a shell, and either may be killed alone. */
function whenOrphaned(callback) {
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
  // Not replaced under `node --watch`, whose parent needs to hear which files are loaded.
  const isReplaced = flags.length === 0 || process.execArgv.includes(flags[0]);
  if (!isReplaced && process.send === undefined)
    process.execve(process.execPath, [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)]);
  whenOrphaned(() => process.kill(process.pid, "SIGTERM"));
  // Caches compiled sources for the next start, also of threads. If the folder is not writable, they are compiled again.
  modules.enableCompileCache(join(import.meta.dirname, "..", "node_modules", ".cache", "lectern"));
  const cache = modules.getCompileCacheDir();
  if (cache !== undefined) process.env["NODE_COMPILE_CACHE"] = cache;

  // The packed program contains compiled JavaScript, as Node strips no types below node_modules.
  const isPacked = !existsSync(join(import.meta.dirname, "main.ts"));
  const { main } = await import(isPacked ? "../dist/cli/main.js" : "./main.ts").catch(sayWhatIsMissing);
  await main(process.argv.slice(2));
}

/** Ends with a sentence for a program that was not installed as the documentation says. */
function sayWhatIsMissing(error) {
  const sentences = {
    ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING:
      "This is Lectern's source code, which Node does not run inside node_modules. Run `npm run pack` in a clone, and install the tarball that it makes.",
    ERR_MODULE_NOT_FOUND: `Packages that Lectern needs are not installed. Run \`npm ci\` in ${join(import.meta.dirname, "..")}, or install its tarball again.`,
  };
  if (!Object.hasOwn(sentences, error.code)) throw error;
  console.error(sentences[error.code]);
  process.exit(1);
}
