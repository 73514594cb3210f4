#!/usr/bin/env node
import { spawn } from "node:child_process";
import * as modules from "node:module";
import { constants } from "node:os";
import { join, sep } from "node:path";

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

  // Packing renames it (tools/dev/pack.ts), as Node strips no types below node_modules.
  const file = "./main.ts";
  if (file.endsWith("ts") && import.meta.dirname.split(sep).includes("node_modules"))
    return fail(
      "This installation of Lectern has TypeScript, which Node does not run below node_modules. In a clone of Lectern, `npm run pack` makes the package to install: npm install /path/to/lectern/dist/lectern-….tgz",
    );
  const { main } = await import(file).catch((error) => {
    const isMissing = error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes("Cannot find package");
    if (!isMissing) throw error;
    return {
      main: () => fail(`${error.message.split(" imported from")[0]}. Install the packages of Lectern with \`npm ci\`.`),
    };
  });
  await main(process.argv.slice(2));
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
