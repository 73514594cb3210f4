import { onTestFinished } from "vitest";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { packageReader } from "../../sources/package/index.ts";
import { startNpmRegistry } from "../support/npm-registry.ts";
import type { PublishedVersion } from "../support/npm-registry.ts";
import { indexedSite } from "./site-setup.ts";

/** A package in a registry, and what indexing it comes to. */
export async function publishedPackage(name: string, versions: Readonly<Record<string, PublishedVersion>>) {
  const registry = await startNpmRegistry();
  onTestFinished(() => registry.close());
  registry.publish(name, versions);
  const indexed = await indexedSite<PackageSourceSpec>(
    {},
    { hosts: [registry.host] },
    (tools) => packageReader.create({ ...tools, extensions: [".md", ".mdx", ".txt"] }) as never,
  );
  const spec = { kind: "package", registry: "npm", url: registry.url, name, version: null, restricted: false } as const;
  return { ...indexed, registry, index: () => indexed.index(spec) };
}
