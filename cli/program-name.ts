import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";

const root = join(import.meta.dirname, "..");
const program = join(import.meta.dirname, "lectern.mjs");

/**
 * The words that start this program from this folder, for commands that are printed: `lectern` if that is this program, `npx lectern`
 * where npx finds it without a registry, else its path.
 */
export function programName(env: Readonly<Record<string, string | undefined>> = process.env): string {
  // npm and npx add folders of packages, which the user's shell lacks.
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => !/node_modules[\\/]\.bin$/.test(folder));
  const found = folders.map((folder) => join(folder, "lectern")).find((path) => existsSync(path));
  if (found !== undefined && isThis(found)) return "lectern";
  if (isLocal(process.cwd())) return "npx lectern";
  const path = relative(process.cwd(), program);
  const shown = path.startsWith("..") ? program : `./${path}`;
  return /^[\w./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`;
}

/** Whether npx runs this program from a folder: it is the package of the nearest `package.json`, or installed for that. */
function isLocal(folder: string): boolean {
  const isNearest = existsSync(join(folder, "package.json")) || existsSync(join(folder, "node_modules"));
  if (isNearest) return folder === root || isThis(join(folder, "node_modules", ".bin", "lectern"));
  return dirname(folder) !== folder && isLocal(dirname(folder));
}

function isThis(path: string): boolean {
  try {
    return realpathSync(path) === realpathSync(program);
  } catch {
    return false;
  }
}
