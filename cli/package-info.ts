import { join } from "node:path";
import about from "../package.json" with { type: "json" };

/** The version of the program, from its package.json. The API has its own. */
export const programVersion: string = about.version;

/** The User-Agent of requests, with an address for information. */
export const userAgent = `Lectern/${programVersion} (+https://github.com/lectern-docs/lectern)`;

/** The project's own documentation, which the first start indexes (INDEX_OWN_DOCS). */
export const ownDocsFolder: string = join(import.meta.dirname, "..", "docs");

/** The library of Lectern's own documentation. */
export const ownDocs = {
  id: "/docs/lectern",
  title: "Lectern",
  description: "Self-hosted documentation retrieval: how to run it, submit sources, ask and operate.",
} as const;

/** The packages that can be absent: peers, which only a cluster needs. In the packed program they are optional (`tools/dev/pack.ts`). */
export interface Manifest {
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: object;
}

/** Advice for an error about a missing package that only a cluster needs; undefined for other errors. */
export function missingPackage(error: unknown, manifest: Manifest = about): string | undefined {
  if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) return undefined;
  const { peerDependencies = {}, peerDependenciesMeta } = manifest;
  if (!Object.keys(peerDependencies).some((name) => error.message.includes(`'${name}'`))) return undefined;
  if (peerDependenciesMeta === undefined)
    return "This needs packages that only a cluster uses. Install them with npm ci, without --omit=peer.";
  const packages = Object.entries(peerDependencies).map(([name, version]) => `${name}@${version}`);
  return `This needs packages that only a cluster uses. Install them next to Lectern: npm install ${packages.join(" ")}`;
}
