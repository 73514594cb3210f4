/**
 * `npm run lockfile`, after every change of the dependencies: writes package-lock.json without the `engines` of packages. npm judges these by the
 * Node that it runs on, so that an older one prints a warning for each and leaves optional ones out; Lectern runs on the Node that is installed
 * with it (cli/lectern.mjs).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const path = join(import.meta.dirname, "..", "..", "package-lock.json");
const lock = JSON.parse(readFileSync(path, "utf8")) as { readonly packages: Record<string, { engines?: object }> };
for (const [name, entry] of Object.entries(lock.packages)) if (name !== "") delete entry.engines;
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
