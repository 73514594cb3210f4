import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { registries } from "../../domain/packages.ts";
import type { IndexedFile } from "./pypi-metadata.ts";
import {
  askParsed,
  invalidMetadata,
  type Archive,
  type RegistryConnection,
  type PackageVersion,
  type Registry,
  type Release,
} from "./registry.ts";

const project = { module: new URL("./pypi-metadata.ts", import.meta.url), name: "readProject" };
const accept = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";

/** A file of a project, with the version in its name. */
interface Distribution extends IndexedFile {
  readonly version: string;
  readonly isWheel: boolean;
}

/** An index of Python packages: https://packaging.python.org/en/latest/specifications/simple-repository-api/ */
export const pypiRegistry: Registry = {
  async list(spec, connection) {
    const byVersion = Map.groupBy(await distributionsOf(spec, connection), ({ version }) => version);
    const versions = [...byVersion].map(([name, files]): PackageVersion => {
      const { sha256, filename } = best(files);
      const withdrawn = files.every(({ yanked }) => yanked);
      return { name, revision: sha256 === "" ? filename : `sha256-${sha256}`, ...(withdrawn && { withdrawn }) };
    });
    return { versions, tags: {} };
  },

  async release(spec, version, connection): Promise<Release> {
    const files = (await distributionsOf(spec, connection)).filter((file) => file.version === version);
    if (files.length === 0) throw invalidMetadata(spec, `version ${version} has no file that can be read`);
    const { filename, url, sha256 } = best(files);
    const format: Archive["format"] = /\.(?:whl|zip)$/.test(filename) ? "zip" : "tar";
    const checksum = sha256 === "" ? undefined : ({ algorithm: "sha256", digest: sha256 } as const);
    return { archive: { url: new URL(url), format, checksum, strip: filename.endsWith(".whl") ? 0 : 1 } };
  },
};

async function distributionsOf(
  spec: PackageSourceSpec,
  connection: RegistryConnection,
): Promise<readonly Distribution[]> {
  const problem = "it has no list of files";
  const address = projectAddress(spec);
  const files = await askParsed<readonly IndexedFile[]>(spec, address, connection, project, { accept, problem });
  return files.flatMap((file) => distributionOf(file, spec.name));
}

/** Address of a project in an index. */
export function projectAddress({ name, url }: PackageSourceSpec): URL {
  return new URL(`${name}/`, url);
}

/** The version in the name of a file: https://packaging.python.org/en/latest/specifications/binary-distribution-format/ and source-distribution-format. */
function distributionOf(file: IndexedFile, name: string): readonly Distribution[] {
  const { filename } = file;
  const { normal } = registries.pypi;
  if (filename.endsWith(".whl")) {
    const [distribution = "", version = ""] = filename.split("-");
    return normal(distribution) === name && version !== "" ? [{ ...file, version, isWheel: true }] : [];
  }
  const stem = /^(.{1,300})\.(?:tar\.gz|tgz|zip)$/.exec(filename)?.[1];
  if (stem === undefined) return [];
  // Names of old source distributions have hyphens, and so may versions.
  for (let at = stem.indexOf("-"); at > 0; at = stem.indexOf("-", at + 1))
    if (normal(stem.slice(0, at)) === name) return [{ ...file, version: stem.slice(at + 1), isWheel: false }];
  return [];
}

/** The file with most documentation: the source distribution, else a wheel for all machines, else the smallest. */
function best(files: readonly Distribution[]): Distribution {
  const rank = ({ isWheel, filename }: Distribution): number =>
    !isWheel ? (filename.endsWith(".zip") ? 1 : 0) : filename.endsWith("-none-any.whl") ? 2 : 3;
  const [first] = files.toSorted((one, other) => rank(one) - rank(other) || one.size - other.size);
  if (first === undefined) throw new TypeError("A version has at least one file.");
  return first;
}
