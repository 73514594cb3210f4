import { execFile } from "node:child_process";
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Fetches a package with `npm pack` into a folder and unpacks it there. Returns the folder with its files. */
export async function unpackPackage(name: string, scratch: string): Promise<string> {
  const target = join(scratch, name.replace(/\W+/g, "-"));
  await mkdir(target, { recursive: true });
  const { stdout } = await run("npm", ["pack", name, "--silent", "--ignore-scripts", "--pack-destination", target]);
  await run("tar", ["-xzf", join(target, stdout.trim().split("\n").at(-1) ?? ""), "-C", target]);
  return realpath(join(target, "package"));
}
