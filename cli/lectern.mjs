#!/usr/bin/env -S node --max-semi-space-size=4 --min-semi-space-size=4
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
// Compiled sources are kept, so that neither this process nor its threads compile them again at the next start. A folder
// that cannot be written only costs that time.
modules.enableCompileCache(join(import.meta.dirname, "..", "node_modules", ".cache", "lectern"));
const cache = modules.getCompileCacheDir();
if (cache !== undefined) process.env["NODE_COMPILE_CACHE"] = cache;

const { main } = await import("./main.ts");
await main(process.argv.slice(2));
