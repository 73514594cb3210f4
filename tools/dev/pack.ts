/**
 * `npm run pack -- [FOLDER [NAME]]`: the package that `npx lectern` runs, as a tarball in FOLDER (`dist`), under NAME (`lectern`). Node strips no types below `node_modules`,
 * so it has JavaScript: types become white space, so that line numbers do not change, and names of files end in `.js`. The peers,
 * which only a cluster needs, become optional: npm would install them.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join, resolve } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { removeLeftFolders, temporaryFolder } from "../../sources/lib/threads/temporary-folders.ts";
import about from "../../package.json" with { type: "json" };

const root = join(import.meta.dirname, "..", "..");

const folder = resolve(process.argv[2] ?? join(root, "dist"));
await removeLeftFolders(console.error);
const staging = await temporaryFolder();
try {
  for (const path of about.files.flatMap(filesOf)) copy(path);
  writeManifest();
  mkdirSync(folder, { recursive: true });
  const name = npm("pack", "--silent", "--pack-destination", folder).trim();
  console.log(join(folder, name));
} finally {
  rmSync(staging, { recursive: true });
}

/** A file, or all files of a folder. */
function filesOf(path: string): readonly string[] {
  return globSync([path, `${path}/**/*`], { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

function copy(path: string): void {
  const target = join(staging, path);
  mkdirSync(dirname(target), { recursive: true });
  if (!/\.(ts|mjs)$/.test(path)) return cpSync(join(root, path), target);
  const source = readFileSync(join(root, path), "utf8");
  const code = path.endsWith(".ts") ? stripTypeScriptTypes(source) : source;
  writeFileSync(target.replace(/\.ts$/, ".js"), withJavaScriptNames(code, path), { mode: 0o644 });
}

/** Renames strings that are relative paths of files of the program: they end in `.js`. */
function withJavaScriptNames(code: string, path: string): string {
  const { program, errors } = parseSync("code.js", code);
  if (errors[0]) throw new Error(`${path} is not JavaScript without its types: ${errors[0].message}`);
  const ends: number[] = [];
  new Visitor({
    Literal({ value, end }) {
      if (typeof value === "string" && value.endsWith(".ts") && existsSync(join(root, dirname(path), value)))
        ends.push(end - '.ts"'.length);
    },
  }).visit(program);
  return ends.toSorted((a, b) => b - a).reduce((text, at) => `${text.slice(0, at)}.js${text.slice(at + 3)}`, code);
}

/** Writes `package.json`, and `npm-shrinkwrap.json`, which pins the tested versions in dependent projects too. */
function writeManifest(): void {
  const { version, description, license, repository, bin, type, engines, dependencies, optionalDependencies } = about;
  const name = process.argv[3] ?? about.name;
  const common = { name, version, description, license, repository, bin, type, engines };
  const manifest = { ...common, dependencies, optionalDependencies };
  const write = (file: string, content: object): void =>
    writeFileSync(join(staging, file), `${JSON.stringify(content, null, 2)}\n`);
  write("package.json", manifest);
  cpSync(join(root, "package-lock.json"), join(staging, "package-lock.json"));
  cpSync(join(root, ".npmrc"), join(staging, ".npmrc"));
  // Removes unneeded packages. All others are in the lockfile, so npm sends no requests.
  npm("install", "--package-lock-only", "--offline", "--ignore-scripts", "--no-audit", "--silent");
  npm("shrinkwrap", "--silent");
  rmSync(join(staging, ".npmrc"));
  write("package.json", {
    ...manifest,
    peerDependencies: about.peerDependencies,
    peerDependenciesMeta: Object.fromEntries(
      Object.keys(about.peerDependencies).map((one) => [one, { optional: true }]),
    ),
  });
}

function npm(...args: readonly string[]): string {
  return execFileSync("npm", args, { cwd: staging, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}
