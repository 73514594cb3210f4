import { parse as parseToml } from "smol-toml";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { registries } from "../../domain/packages.ts";
import { unlessMalformed } from "../lib/tree/manifest-formats.ts";
import { repositoryOf, repositorySchema, repositoryUrl } from "./npm.ts";
import type { ClaimedRepository } from "./registry.ts";
import { type Json, objectOf, jsonOf } from "../../extract/json.ts";

/** Reads a text file of a tree by its path; undefined if it does not exist. */
export type ReadFile = (path: string) => Promise<string | undefined>;

/** The repository that the manifest of an archive names. PyPI: Core Metadata; crates: the manifest that cargo publishes. */
export async function claimedRepository(
  { registry }: PackageSourceSpec,
  read: ReadFile,
): Promise<ClaimedRepository | undefined> {
  if (registry === "npm") {
    const { repository } = objectOf(jsonOf((await read("package.json")) ?? ""));
    return repositoryOf(repositorySchema.parse(repository));
  }
  if (registry === "crates") {
    const { repository } = objectOf(tomlOf((await read("Cargo.toml")) ?? "")["package"]);
    const url = typeof repository === "string" ? repositoryUrl(repository) : undefined;
    return url && { url, folder: "" };
  }
  if (registry === "pypi") {
    const [head = ""] = ((await read("PKG-INFO")) ?? "").split(/\r?\n\r?\n/, 1);
    const urls = [...head.matchAll(/^(?:Project-URL: *([^,\n]{1,60}), *|Home-page: *)(\S{1,500})\s*$/gim)];
    const rank = (label = ""): number => (/source|repo|code|github|gitlab/i.test(label) ? 0 : 1);
    for (const [, , text = ""] of urls.toSorted((one, other) => rank(one[1]) - rank(other[1]))) {
      // Other addresses may be websites as well as repositories.
      if (
        !/^https?:\/\/(?:[\w-]{1,60}\.){0,4}(?:github|gitlab|codeberg|bitbucket|git)[\w.-]{0,60}(?::\d{1,5})?\/[^/]+\/[^/]+/i.test(
          text,
        )
      )
        continue;
      const url = repositoryUrl(text);
      if (url === undefined) continue;
      url.pathname = url.pathname.split("/").slice(0, 3).join("/");
      return { url, folder: "" };
    }
  }
  return undefined;
}

/** Possible names of the tag of a version: those with the package's name first, then those that repositories of one package use. */
export function tagsOf({ name }: PackageSourceSpec, version: string): readonly string[] {
  const bare = name.slice(name.lastIndexOf("/") + 1);
  const names = [...new Set([name, bare])];
  const own = names.flatMap((one) => [
    `${one}@${version}`,
    `${one}@v${version}`,
    `${one}-v${version}`,
    `${one}-${version}`,
    `${one}/v${version}`,
  ]);
  return [...own, `v${version}`, version, `release-${version}`, `release/${version}`];
}

/**
 * The folder of a package in a tree, verified by its manifest: it has the same name, and the same version unless that is set only on
 * publishing. Undefined for a tree of another package or version.
 */
export async function folderOf(
  spec: PackageSourceSpec,
  version: string,
  { folder }: Pick<ClaimedRepository, "folder">,
  read: ReadFile,
): Promise<string | undefined> {
  const bare = spec.name.slice(spec.name.lastIndexOf("/") + 1);
  for (const candidate of new Set([folder, "", `packages/${bare}`, bare])) {
    const { name, version: stated } = await identityOf(spec, candidate === "" ? "" : `${candidate}/`, read);
    if (typeof name !== "string" || registries[spec.registry].normal(name) !== spec.name) continue;
    return typeof stated !== "string" || stated === version || stated.startsWith("0.0.0") ? candidate : undefined;
  }
  return undefined;
}

/** The table of a manifest that has the package's name and version; `prefix` is its folder with a slash. */
async function identityOf({ registry }: PackageSourceSpec, prefix: string, read: ReadFile): Promise<Json> {
  if (registry === "npm") return objectOf(jsonOf((await read(`${prefix}package.json`)) ?? ""));
  if (registry === "crates") return objectOf(tomlOf((await read(`${prefix}Cargo.toml`)) ?? "")["package"]);
  const { project, tool } = tomlOf((await read(`${prefix}pyproject.toml`)) ?? "");
  return objectOf(project ?? objectOf(tool)["poetry"]);
}

/** Parses TOML; an empty table if it is malformed. */
function tomlOf(text: string): Json {
  return unlessMalformed(() => parseToml(text)) ?? {};
}
