import about from "../package.json" with { type: "json" };

/**
 * A sentence that says what to install, where an error is that of a package which only a cluster loads: the packed program
 * has these as optional peers (`dev/pack.ts`). Null for any other error.
 */
export function missingPackages(
  error: unknown,
  peers: Readonly<Record<string, string>> = peersOf(about),
): string | null {
  if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) return null;
  const missing = Object.keys(peers).some((name) => error.message.includes(`'${name}'`));
  if (!missing) return null;
  const packages = Object.entries(peers).map(([name, version]) => `${name}@${version}`);
  return `This needs packages that only a cluster uses. Install them beside Lectern: npm install ${packages.join(" ")}`;
}

const peersOf = (manifest: object): Readonly<Record<string, string>> =>
  "peerDependencies" in manifest ? (manifest.peerDependencies as Record<string, string>) : {};
