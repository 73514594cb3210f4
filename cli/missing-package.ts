import about from "../package.json" with { type: "json" };

/**
 * What to do where a package is missing that only a cluster loads: the packed program has these as optional peers
 * (`dev/pack.ts`). Undefined for every other error.
 */
export function missingPackage(
  error: unknown,
  peers: Readonly<Record<string, string>> = peersOf(about),
): string | undefined {
  if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) return undefined;
  const isPeer = Object.keys(peers).some((name) => error.message.includes(`'${name}'`));
  if (!isPeer) return undefined;
  const packages = Object.entries(peers).map(([name, version]) => `${name}@${version}`);
  return `This needs packages that only a cluster uses. Install them beside Lectern: npm install ${packages.join(" ")}`;
}

const peersOf = (manifest: object): Readonly<Record<string, string>> =>
  "peerDependencies" in manifest ? (manifest.peerDependencies as Record<string, string>) : {};
