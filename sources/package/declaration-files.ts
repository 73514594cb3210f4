import { readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { filesNamedBy } from "../../extract/declared/typescript.ts";

/** Files of declarations of one package that are read. */
const maxFiles = 3000;
/** A larger one was made by a machine, in bytes. */
const maxBytes = 3_000_000;

/** An unpacked package of npm, and the paths of its files. */
export interface UnpackedPackage {
  readonly root: string;
  readonly paths: readonly string[];
}

/**
 * The files of declarations that a package offers, its entries first, then what they name, in that order: those of its field `exports`,
 * else of `types`, else beside `main`. Runs on a thread.
 */
export function declarationFiles({ root, paths }: UnpackedPackage): readonly string[] {
  const files = new Set(paths.filter((path) => /\.d\.[cm]?ts$/.test(path)));
  const chosen = new Set<string>();
  const add = (path: string | undefined): void => {
    if (path === undefined || chosen.size >= maxFiles) return;
    // The same declarations for another system of modules say nothing new.
    const stem = path.replace(/\.d\.[cm]?ts$/, "");
    chosen.add([".d.ts", ".d.mts"].map((ending) => stem + ending).find((twin) => files.has(twin)) ?? path);
  };
  for (const entry of entriesOf(readManifest(root), files)) add(entry);
  // The list grows while it is gone through.
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

function readManifest(root: string): Readonly<Record<string, unknown>> {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    return typeof manifest === "object" && manifest !== null ? (manifest as Record<string, unknown>) : {};
  } catch (error) {
    // A package without a manifest of its own has declarations all the same.
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error && error.code === "ENOENT"))
      return {};
    throw error;
  }
}

function entriesOf(
  { exports, types, typings, main }: Readonly<Record<string, unknown>>,
  files: ReadonlySet<string>,
): readonly string[] {
  const found = targetsOf(exports, 0).flatMap((target) => expand(target, files));
  for (const field of [types, typings, main, "index.d.ts"]) {
    const file = typeof field === "string" ? fileOf(posix.normalize(field), files) : undefined;
    if (file !== undefined) found.push(file);
    if (found.length > 0) break;
  }
  return found;
}

/** Conditions of exports that are of no other program, in the order of preference. */
const conditions = ["types", "import", "module", "node", "default", "require"];
const maxDepth = 8;

/** The files that exports lead to: of the conditions of a subpath the first that says where its types are. */
function targetsOf(value: unknown, depth: number): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > maxDepth) return [];
  if (Array.isArray(value)) return targetsOf(value[0], depth + 1);
  const table = value as Readonly<Record<string, unknown>>;
  const subpaths = Object.keys(table).filter((key) => key.startsWith("."));
  if (subpaths.length > 0)
    return subpaths.filter((key) => key !== "./package.json").flatMap((key) => targetsOf(table[key], depth + 1));
  const chosen = conditions.find((condition) => table[condition] !== undefined && table[condition] !== null);
  return chosen === undefined ? [] : targetsOf(table[chosen], depth + 1);
}

/** The files of a target, which may have a star. */
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

/** The declarations of a module, however its path is written. */
function fileOf(path: string, files: ReadonlySet<string>): string | undefined {
  const stem = path.replace(/\.([cm]?)js$/, ".d.$1ts").replace(/(?<!\.d)\.([cm]?)ts$/, ".d.$1ts");
  const bare = path.replace(/\.[cm]?js$/, "");
  const tried = [path, stem, `${path}.d.ts`, `${bare}.d.ts`, `${bare}.d.mts`, `${bare}.d.cts`, `${path}/index.d.ts`];
  return tried.find((one) => files.has(one));
}
