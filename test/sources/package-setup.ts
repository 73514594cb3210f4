import { onTestFinished } from "vitest";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { createGitSource } from "../../sources/git/index.ts";
import { packageReaderWith } from "../../sources/package/index.ts";
import type { RegistryAccess, RegistryName } from "../../domain/packages.ts";
import type { Site } from "../support/site.ts";
import { startNpmRegistry, type PublishedVersion } from "../support/npm-registry.ts";
import { indexedSite } from "./site-setup.ts";

/** A package of npm, and `index` for it. */
export async function publishedPackage(name: string, versions: Readonly<Record<string, PublishedVersion>>) {
  const registry = await startNpmRegistry();
  registry.publish(name, versions);
  return readingPackage("npm", registry, name);
}

/** A package of a registry, which is closed when the test ends, and `index` for it. */
export async function readingPackage<At extends Site & { readonly url: string }>(
  kind: RegistryName,
  registry: At,
  name: string,
  access?: RegistryAccess,
) {
  onTestFinished(() => registry.close());
  const indexed = await indexedSite<PackageSourceSpec>(
    {},
    { hosts: [registry.host] },
    (tools) =>
      packageReaderWith((git, verify) => createGitSource({ ...git, ...(verify && { verify }) })).create({
        ...tools,
        extensions: [".md", ".mdx", ".txt"],
        ...(access && { registries: access }),
      }) as never,
  );
  const spec = { kind: "package", registry: kind, url: registry.url, name, version: null, restricted: false } as const;
  return { ...indexed, registry, index: () => indexed.index(spec) };
}
