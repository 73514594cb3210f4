import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { registries } from "../../domain/packages.ts";
import { parseText } from "../../threads/parse-text.ts";
import type { IndexAnswer, IndexedFile } from "./pypi-metadata.ts";
import { ask, bytesOf, invalidMetadata, maxOnThread } from "./registry.ts";
import type { Archive, Asking, PackageVersion, Registry, Release } from "./registry.ts";

const project = { module: new URL("./pypi-metadata.ts", import.meta.url), name: "readProject" };
const accept = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";

/** A file of a project with the version that its name says. */
interface Distribution extends IndexedFile {
  readonly version: string;
  readonly isWheel: boolean;
}

/** An index of Python packages: https://packaging.python.org/en/latest/specifications/simple-repository-api/ */
export const pypiRegistry: Registry = {
  async list(spec, asking) {
    const byVersion = Map.groupBy(await distributionsOf(spec, asking), ({ version }) => version);
    const versions = [...byVersion].map(([name, files]): PackageVersion => {
      const { sha256, filename } = best(files);
      const withdrawn = files.every(({ yanked }) => yanked);
      return { name, revision: sha256 === "" ? filename : `sha256-${sha256}`, ...(withdrawn && { withdrawn }) };
    });
    return { versions, tags: {} };
  },

  async release(spec, version, asking): Promise<Release> {
    const files = (await distributionsOf(spec, asking)).filter((file) => file.version === version);
    if (files.length === 0) throw invalidMetadata(spec, `version ${version} has no file that can be read`);
    const { filename, url, sha256 } = best(files);
    const format: Archive["format"] = /\.(?:whl|zip)$/.test(filename) ? "zip" : "tar";
    const checksum = sha256 === "" ? undefined : ({ algorithm: "sha256", digest: sha256 } as const);
    return { version, archive: { url: new URL(url), format, checksum, strip: filename.endsWith(".whl") ? 0 : 1 } };
  },
};

async function distributionsOf(spec: PackageSourceSpec, asking: Asking): Promise<readonly Distribution[]> {
  const answer = await ask(spec, new URL(`${spec.name}/`, spec.url), asking, { accept, maxBytes: maxOnThread });
  const input = { bytes: await bytesOf(answer), mediaType: answer.headers["content-type"] ?? "", url: answer.url.href };
  const files = await parseText<IndexAnswer, readonly IndexedFile[] | null>(asking, project, input, spec.name);
  if (files === null) throw invalidMetadata(spec, "it has no list of files");
  return files.flatMap((file) => distributionOf(file, spec.name));
}

/** Names of files: https://packaging.python.org/en/latest/specifications/binary-distribution-format/ and source-distribution-format. */
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

/** The file that says most: the source, which has documents, else a wheel for all machines, else the smallest. */
function best(files: readonly Distribution[]): Distribution {
  const rank = ({ isWheel, filename }: Distribution): number =>
    !isWheel ? (filename.endsWith(".zip") ? 1 : 0) : filename.endsWith("-none-any.whl") ? 2 : 3;
  const [first] = files.toSorted((one, other) => rank(one) - rank(other) || one.size - other.size);
  if (first === undefined) throw new TypeError("A version has a file at least.");
  return first;
}
