#!/usr/bin/env node
import * as modules from "node:module";
import { join } from "node:path";

// Says which Node is wanted before anything is loaded that an older one cannot read; everything else is in main.ts.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  console.error(
    `Lectern needs Node 24.15 or newer, and this is ${process.version}. On Linux \`npm ci\` brings it along: start with \`npm start\` or \`npx lectern\`. Elsewhere install Node 24.`,
  );
  process.exit(1);
}
// V8 takes the first only when a process starts, so this one is replaced: without it the peak at 10,000 documents is some
// 60 MB higher (docs/decisions.md). Under `node --watch` it stays, to go on telling its parent what it has loaded.
const memory = ["--max-semi-space-size=8", "--heap-growing-percent=30"];
if (!process.execArgv.includes(memory[0]) && process.send === undefined && process.platform !== "win32")
  process.execve(process.execPath, [process.execPath, ...memory, ...process.execArgv, ...process.argv.slice(1)]);
// Compiled sources are kept, so that neither this process nor its threads compile them again at the next start. A folder
// that cannot be written only costs that time.
modules.enableCompileCache(join(import.meta.dirname, "..", "node_modules", ".cache", "lectern"));
const cache = modules.getCompileCacheDir();
if (cache !== undefined) process.env["NODE_COMPILE_CACHE"] = cache;

const { main } = await import("./main.ts");
await main(process.argv.slice(2));
