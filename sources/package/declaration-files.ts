import { readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { filesNamedBy } from "../../extract/declared/typescript.ts";
import { isMissing } from "../lib/disk/read-file.ts";
import { jsonOf, objectOf } from "../../extract/json.ts";

/** Maximum number of declaration files of a package. */
const maxFiles = 3000;
/** Largest declaration file that is read, in bytes: larger ones are generated. */
const maxBytes = 3_000_000;

/** An unpacked package, and the paths of its files. */
export interface UnpackedPackage {
  readonly root: string;
  readonly paths: readonly string[];
}

/**
 * The declaration files of a package of npm: its entries by the field `exports`, else `types`, else `main`, then breadth first the files
 * that they name. Runs on a thread.
 */
export function declarationFiles({ root, paths }: UnpackedPackage): readonly string[] {
  const files = new Set(paths.filter((path) => /\.d\.[cm]?ts$/.test(path)));
  const chosen = new Set<string>();
  const add = (path: string | undefined): void => {
    if (path === undefined || chosen.size >= maxFiles) return;
    // Declarations for ES modules and CommonJS are the same, so one of them is enough.
    const stem = path.replace(/\.d\.[cm]?ts$/, "");
    chosen.add([".d.ts", ".d.mts"].map((ending) => stem + ending).find((twin) => files.has(twin)) ?? path);
  };
  for (const entry of entriesOf(readManifest(root), files)) add(entry);
  // The set grows while it is iterated.
  for (const path of chosen) {
    const place = join(root, path);
    if (statSync(place).size > maxBytes) {
      chosen.delete(path);
      continue;
    }
    for (const name of filesNamedBy(readFileSync(place, "utf8"))) {
      const target = posix.normalize(posix.join(posix.dirname(path), name));
      add(fileOf(target, files));
    }
  }
  return [...chosen];
}

/** The manifest; empty if it is missing or malformed, as a package may have declarations without it. */
function readManifest(root: string): Readonly<Record<string, unknown>> {
  try {
    return objectOf(jsonOf(readFileSync(join(root, "package.json"))));
  } catch (error) {
    if (isMissing(error)) return {};
    throw error;
  }
}

function entriesOf(
  { exports, types, typings, main }: Readonly<Record<string, unknown>>,
  files: ReadonlySet<string>,
): readonly string[] {
  const entries = targetsOf(exports, 0).flatMap((target) => expand(target, files));
  for (const field of [types, typings, main, "index.d.ts"]) {
    const file = typeof field === "string" ? fileOf(posix.normalize(field), files) : undefined;
    if (file !== undefined) entries.push(file);
    if (entries.length > 0) break;
  }
  return entries;
}

/** Conditions of exports, the preferred first. */
const conditions = ["types", "import", "module", "node", "default", "require"];
const maxDepth = 8;

/** The targets of `exports`, of each subpath that of the preferred condition. */
function targetsOf(value: unknown, depth: number): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > maxDepth) return [];
  if (Array.isArray(value)) return targetsOf(value[0], depth + 1);
  const table = objectOf(value);
  const subpaths = Object.keys(table).filter((key) => key.startsWith("."));
  if (subpaths.length > 0)
    return subpaths.filter((key) => key !== "./package.json").flatMap((key) => targetsOf(table[key], depth + 1));
  const chosen = conditions.find((condition) => table[condition] !== undefined && table[condition] !== null);
  return chosen === undefined ? [] : targetsOf(table[chosen], depth + 1);
}

/** The declaration files of a target, which may be a pattern with a star. */
function expand(target: string, files: ReadonlySet<string>): readonly string[] {
  const path = posix.normalize(target);
  const star = path.indexOf("*");
  if (star < 0) {
    const file = fileOf(path, files);
    return file === undefined ? [] : [file];
  }
  const [before, after] = [path.slice(0, star), path.slice(star + 1).replace(/(?:\.d)?\.[cm]?[jt]sx?$/, "")];
  return [...files].filter((file) => file.startsWith(before) && file.replace(/\.d\.[cm]?ts$/, "").endsWith(after));
}

/** The declaration file of a module, whatever ending its path has. */
function fileOf(path: string, files: ReadonlySet<string>): string | undefined {
  const stem = path.replace(/\.([cm]?)js$/, ".d.$1ts").replace(/(?<!\.d)\.([cm]?)ts$/, ".d.$1ts");
  const bare = path.replace(/\.[cm]?js$/, "");
  const tried = [path, stem, `${path}.d.ts`, `${bare}.d.ts`, `${bare}.d.mts`, `${bare}.d.cts`, `${path}/index.d.ts`];
  return tried.find((one) => files.has(one));
}
