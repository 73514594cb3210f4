import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Packs the program into a folder, as `npm run pack` does. Returns the tarball's path. */
export function pack(folder: string): string {
  return execFileSync(process.execPath, ["tools/dev/pack.ts", folder], {
    cwd: root,
    encoding: "utf8",
    stdio: "pipe",
  }).trim();
}

interface Manifest {
  readonly packages: Readonly<Record<string, object>>;
}

/**
 * Unpacks a tarball to where npm would install it, and links the packages of its shrinkwrap to those of this project. `peers`: also
 * those that only a cluster needs. Returns the folder of the package.
 */
export function installPacked(tarball: string, folder: string, { peers }: { readonly peers: boolean }): string {
  const target = join(folder, "node_modules", "lectern");
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", target]);
  const lock = peers ? join(root, "package-lock.json") : join(target, "npm-shrinkwrap.json");
  const { packages } = JSON.parse(readFileSync(lock, "utf8")) as Manifest;
  for (const path of Object.keys(packages)) {
    const isTop = path.lastIndexOf("node_modules/") === 0;
    if (!isTop) continue;
    const link = join(folder, path);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, path), link);
  }
  return target;
}
