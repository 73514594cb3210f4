#!/usr/bin/env -S node --max-semi-space-size=4 --min-semi-space-size=4
import * as modules from "node:module";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";

// Says which Node is wanted before anything is loaded that an older one cannot read; everything else is in main.ts.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  console.error(
    `Lectern needs Node 24.15 or newer, and this is ${process.version}. On Linux \`npm ci\` brings it along: start with \`npm start\` or \`npx lectern\`. Elsewhere install Node 24.`,
  );
  process.exit(1);
}
// V8 as this program is told to start has a small young generation for this thread. Those of other threads are as large as
// they ask for from their first object on, and stay so: growing them again costs more than they take.
setFlagsFromString("--max-semi-space-size=0");
setFlagsFromString("--min-semi-space-size=8");
// Old objects are collected when they have grown by three tenths; V8 would let them become up to four times as many, and much
// of what they keep alive is larger than they are.
setFlagsFromString("--heap-growing-percent=30");
// Little survives in a young generation of a few MB. Threads that share its collection wait for one another, several times as
// long as it takes, where all cores are at work.
setFlagsFromString("--no-parallel-scavenge");
// Compiled sources are kept, so that neither this process nor its threads compile them again at the next start. A folder
// that cannot be written only costs that time.
modules.enableCompileCache(join(import.meta.dirname, "..", "node_modules", ".cache", "lectern"));
const cache = modules.getCompileCacheDir();
if (cache !== undefined) process.env["NODE_COMPILE_CACHE"] = cache;

const { main } = await import("./main.ts");
await main(process.argv.slice(2));
