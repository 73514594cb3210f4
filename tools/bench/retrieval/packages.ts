import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, mkdir, mkdtemp, readdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { size } from "../size.ts";
import type { BenchLibrary } from "./libraries.ts";

const run = promisify(execFile);
const readsInstalled = size({ full: false, small: true });

/** Folder for fetched packages: `lectern-bench` in the user's cache folder. It may be removed at any time. */
export function cacheFolder(): string {
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "lectern-bench");
}

/**
 * The folder with the documentation of a library, fetched once with `npm` or `pip` as configured on this machine. The small form reads
 * the installed package, in any version.
 * @throws Error for a package that cannot be fetched, or is not the graded one
 */
export async function fetchDocs(library: BenchLibrary): Promise<string> {
  if (readsInstalled)
    return realpath(join(import.meta.dirname, "..", "..", "..", "node_modules", library.package, library.docs));
  const packages = join(cacheFolder(), "packages");
  const folder = join(packages, `${library.name}-${library.version}-${library.sha256.slice(0, 12)}`);
  if (!(await exists(folder))) {
    await mkdir(packages, { recursive: true });
    const scratch = await mkdtemp(join(packages, "fetching-"));
    try {
      await unpack(await download(library, scratch), library, scratch);
      // Another process may have been first.
      await rename(join(scratch, "docs"), folder).catch(async (error: unknown) => {
        if (!(await exists(folder))) throw error;
      });
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
  return realpath(folder);
}

async function download(library: BenchLibrary, folder: string): Promise<string> {
  const { registry, package: name, version, sha256 } = library;
  if (registry === "npm") await start("npm", ["pack", `${name}@${version}`, "--silent"], folder);
  else {
    // pip runs the archive's own build tools to learn its name, so it verifies the hash first.
    await writeFile(join(folder, "wanted.txt"), `${name}==${version} --hash=sha256:${sha256}\n`);
    const options = ["--quiet", "--no-deps", "--no-binary", name, "--require-hashes", "--requirement", "wanted.txt"];
    await start("pip", ["download", ...options], folder);
  }
  const file = (await readdir(folder)).find((entry) => /\.(?:tgz|tar\.gz)$/.test(entry));
  if (file === undefined) throw new Error(`${name} ${version} was not fetched as an archive. Is it still published?`);
  return join(folder, file);
}

async function start(program: string, args: readonly string[], cwd: string): Promise<string> {
  const options = { cwd, maxBuffer: 1 << 28 };
  const { stdout } = await run(program, args, options).catch((cause: unknown) => {
    throw new Error(`${program} ${args.join(" ")} failed. It is needed to fetch the documentation.`, { cause });
  });
  return stdout;
}

async function unpack(archive: string, library: BenchLibrary, folder: string): Promise<void> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(archive), hash);
  const digest = hash.digest("hex");
  if (digest !== library.sha256)
    throw new Error(`${library.package} ${library.version} has the hash ${digest}, not ${library.sha256}.`);
  const names = await start("tar", ["-tzf", archive], folder);
  const top = names.slice(0, names.indexOf("/"));
  const inside = `${top}/${library.docs}`;
  const parts = inside.split("/").length;
  await mkdir(join(folder, "docs"));
  await start("tar", ["-xzf", archive, "-C", join(folder, "docs"), `--strip-components=${parts}`, inside], folder);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
