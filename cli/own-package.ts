import about from "../package.json" with { type: "json" };

/** The version of the program, from its package.json. The API has its own. */
export const programVersion: string = about.version;

/** The User-Agent of requests, with an address for information. */
export const userAgent = `Lectern/${programVersion} (+https://github.com/lectern-docs/lectern)`;

/** What a package manifest says of packages that can be absent. The packed program has those of a cluster as optional peers (`tools/dev/pack.ts`). */
export interface Manifest {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** What to do where a package is missing that only a cluster loads. Undefined for every other error. */
export function missingPackage(error: unknown, manifest: Manifest = about): string | undefined {
  if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) return undefined;
  const { optionalDependencies = {}, peerDependencies = {} } = manifest;
  const isAbsent = (name: string): boolean => error.message.includes(`'${name}'`);
  if (Object.keys(peerDependencies).some(isAbsent)) {
    const packages = Object.entries(peerDependencies).map(([name, version]) => `${name}@${version}`);
    return `This needs packages that only a cluster uses. Install them beside Lectern: npm install ${packages.join(" ")}`;
  }
  if (!Object.keys(optionalDependencies).some(isAbsent)) return undefined;
  return "This needs packages that only a cluster uses. Install them with npm ci, without --omit=optional.";
}
