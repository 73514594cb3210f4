import { folderOf } from "./paths.ts";

/** Configuration files of websites at the root of a tree that may name the version of the latest release (Hugo, Docusaurus, MkDocs, Jekyll). */
export const versionFiles: readonly string[] = [
  ...["hugo", "config"].flatMap((name) => ["yaml", "yml", "toml"].map((ending) => `${name}.${ending}`)),
  ...["ts", "js", "mjs"].map((ending) => `docusaurus.config.${ending}`),
  "mkdocs.yml",
  "_config.yml",
];

/** The key of the latest release, with its version. */
const latest =
  /^[ \t]{0,40}["']?(?:(?:latest|stable|current)[-_]?(?:stable[-_]?|released?[-_]?)?version|lastVersion)["']?[ \t]{0,9}[:=][ \t]{0,9}["']?(v?\d[\w.-]{0,30})/im;

/** Maximum size of these files, in bytes. */
const maxBytes = 200_000;

/** Whether some documents are in folders named like versions. */
export function hasVersions(documents: readonly string[]): boolean {
  return documents.some((path) => /(?:^|\/)(?:version-)?v?\d+\.\d/.test(folderOf(path)));
}

/** The version of the latest release that the website of a tree names; undefined if it names none. */
export async function releasedVersion(
  read: (path: string) => Promise<Uint8Array | null | undefined>,
): Promise<string | undefined> {
  for (const path of versionFiles) {
    const bytes = await read(path);
    if (!bytes || bytes.length > maxBytes) continue;
    const [, version] = latest.exec(new TextDecoder().decode(bytes)) ?? [];
    if (version !== undefined) return version;
  }
  return undefined;
}
