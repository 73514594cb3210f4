import { parse as parseToml } from "smol-toml";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { registries } from "../../domain/packages.ts";
import { repositoryOf, repositoryUrl } from "./npm.ts";
import type { ClaimedRepository } from "./registry.ts";

/** Reads a file of a tree by its path; undefined where there is none. */
export type ReadFile = (path: string) => Promise<string | undefined>;

/** Where the manifest of an archive says that its repository is. PyPI: Core Metadata; crates: the manifest that cargo publishes. */
export async function claimedRepository(
  { registry }: PackageSourceSpec,
  read: ReadFile,
): Promise<ClaimedRepository | undefined> {
  if (registry === "npm") {
    const { repository } = json((await read("package.json")) ?? "");
    if (typeof repository === "string") return repositoryOf(repository);
    const { url, directory } = (repository ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof url !== "string") return undefined;
    return repositoryOf({ url, ...(typeof directory === "string" && { directory }) });
  }
  if (registry === "crates") {
    const { repository } = toml((await read("Cargo.toml")) ?? "")["package"] ?? {};
    const url = typeof repository === "string" ? repositoryUrl(repository) : undefined;
    return url && { url, folder: "" };
  }
  if (registry === "pypi") {
    const [head = ""] = ((await read("PKG-INFO")) ?? "").split(/\r?\n\r?\n/, 1);
    const named = [...head.matchAll(/^(?:Project-URL: *([^,\n]{1,60}), *|Home-page: *)(\S{1,500})\s*$/gim)];
    const rank = (label = ""): number => (/source|repo|code|github|gitlab/i.test(label) ? 0 : 1);
    for (const [, , text = ""] of named.toSorted((one, other) => rank(one[1]) - rank(other[1]))) {
      // Of other addresses nothing says that a repository is there.
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

/** Names that tags of a version have: those of the package's own before those of a repository of one package. */
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
 * Whether a tree is the package at its version, by its own manifest: the same name, and the same version where it says one that is not
 * made when it is published. The folder of the package in it; undefined where it is another package.
 */
export async function folderOf(
  spec: PackageSourceSpec,
  version: string,
  { folder }: Pick<ClaimedRepository, "folder">,
  read: ReadFile,
): Promise<string | undefined> {
  const bare = spec.name.slice(spec.name.lastIndexOf("/") + 1);
  for (const place of new Set([folder, "", `packages/${bare}`, bare])) {
    const at = place === "" ? "" : `${place}/`;
    const { name, version: said } = await identityOf(spec, at, read);
    if (name === undefined || registries[spec.registry].normal(name) !== spec.name) continue;
    return said === undefined || said === version || said.startsWith("0.0.0") ? place : undefined;
  }
  return undefined;
}

/** What a manifest calls its package. */
async function identityOf(
  { registry }: PackageSourceSpec,
  at: string,
  read: ReadFile,
): Promise<{ readonly name?: string; readonly version?: string }> {
  const of = ({ name, version }: Readonly<Record<string, unknown>>) => ({
    ...(typeof name === "string" && { name }),
    ...(typeof version === "string" && { version }),
  });
  if (registry === "npm") return of(json((await read(`${at}package.json`)) ?? ""));
  if (registry === "crates") return of(toml((await read(`${at}Cargo.toml`)) ?? "")["package"] ?? {});
  const { project, tool } = toml((await read(`${at}pyproject.toml`)) ?? "");
  return of(project ?? (tool?.["poetry"] as Readonly<Record<string, unknown>> | undefined) ?? {});
}

type Tables = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

function json(text: string): Readonly<Record<string, unknown>> {
  return readable(() => JSON.parse(text) as Readonly<Record<string, unknown>>) ?? {};
}

function toml(text: string): Tables {
  return (readable(() => parseToml(text)) ?? {}) as Tables;
}

/** What a manifest says that can be read; what is no manifest says nothing. */
function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
