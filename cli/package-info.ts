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

/** The packages that can be absent. In the packed program, those of a cluster are optional peers (`tools/dev/pack.ts`). */
export interface Manifest {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Advice for an error about a missing package that only a cluster needs; undefined for other errors. */
export function missingPackage(error: unknown, manifest: Manifest = about): string | undefined {
  if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) return undefined;
  const { optionalDependencies = {}, peerDependencies = {} } = manifest;
  const isAbsent = (name: string): boolean => error.message.includes(`'${name}'`);
  if (Object.keys(peerDependencies).some(isAbsent)) {
    const packages = Object.entries(peerDependencies).map(([name, version]) => `${name}@${version}`);
    return `This needs packages that only a cluster uses. Install them next to Lectern: npm install ${packages.join(" ")}`;
  }
  if (!Object.keys(optionalDependencies).some(isAbsent)) return undefined;
  return "This needs packages that only a cluster uses. Install them with npm ci, without --omit=optional.";
}
