import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import type { ReadContext } from "../../domain/ports.ts";
import { openFolder, type OpenFolder } from "../lib/disk/open-folder.ts";
import { readCapped } from "../lib/disk/read-file.ts";
import { parseText } from "../lib/threads/thread-pool.ts";
import { maxManifestBytes } from "../lib/tree/manifests.ts";
import type { ReadFile } from "./claimed-repository.ts";
import { isPythonMetadata } from "./documents.ts";
import { registryReaders } from "./registries.ts";
import { get, invalidMetadata, type Archive, type RegistryConnection } from "./registry.ts";
import { leftOutNotes, maxUnpacking, type Unpacked } from "../lib/archive/unpack.ts";
import type { PackageArchive } from "./unpack.ts";
import { createHash } from "node:crypto";
import { Failure } from "../../domain/failures.ts";

/** Cap on an archive, in bytes: larger packages are whole programs without more documentation. */
const maxArchive = 300_000_000;

/**
 * Downloads an archive into a file, and verifies its checksum.
 * @throws Failure source_invalid for a wrong checksum, library_too_large, and what the client throws
 */
async function download(
  spec: PackageSourceSpec,
  { url, checksum }: Archive,
  path: string,
  connection: RegistryConnection,
): Promise<void> {
  if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw invalidMetadata(spec, "the address of its archive is not one of http or https without a password");
  const response = await get(connection, url, { maxBytes: maxArchive, what: `archive of ${spec.name}` });
  const hash = checksum && createHash(checksum.algorithm);
  const file = await open(path, "wx");
  try {
    for await (const piece of response.body) {
      hash?.update(piece);
      await file.write(piece);
    }
  } finally {
    await file.close();
  }
  if (hash && hash.digest("hex") !== checksum?.digest)
    throw new Failure(
      "source_invalid",
      `The archive of ${spec.name} from ${url.host} is not what its registry says: the ${checksum?.algorithm} differs. Try again, or ask the operator of the registry.`,
    );
}

/** An archive may unpack to this many times the bytes that are indexed. */
const unpackedTimes = 10;

const unpacking = { module: new URL("./unpack.ts", import.meta.url), name: "unpackPackage" };

/** The selection of a package's files: all of them. */
const everything = { folders: [], excludeFolders: null, excludeFiles: null, generateDocs: false };

/** Downloads and unpacks the archive of a version. @throws Failure source_invalid, library_too_large, and as `download` */
export async function openArchive(
  spec: PackageSourceSpec,
  version: string,
  archive: Archive,
  connection: RegistryConnection,
  extensions: readonly string[],
  { scratch, limits, signal, account }: ReadContext,
): Promise<OpenFolder> {
  const { api } = registryReaders[spec.registry];
  const path = join(scratch, "archive");
  const root = join(scratch, "package");
  await mkdir(root);
  await download(spec, archive, path, connection);
  const { format, strip } = archive;
  const name = `${spec.name} ${version}`;
  const caps = { fileBytes: limits.pageBytes, maxUnpacked: unpackedTimes * limits.bytes };
  const packed = { path, format, name, strip, folder: root, extensions, api: api.named, ...caps };
  const title = `The archive of ${name}`;
  const leftOut = await parseText<PackageArchive, Unpacked>(connection, unpacking, packed, title, maxUnpacking);
  const notes = leftOutNotes(leftOut);
  if (notes.length > 0) account?.({ notes });
  const toUrl = (file: string): string => `${archive.url.href}#/${file.split("/").map(encodeURIComponent).join("/")}`;
  const rules = { selection: everything, skipVersionFiltering: false, extensions, within: spec.name };
  return openFolder({ root, noun: "package", rules, toUrl }, signal);
}

/** Reads the manifests of an unpacked archive; `PKG-INFO` is the metadata of a wheel too. */
export function manifestsOf({ root, paths }: OpenFolder): ReadFile {
  return async (named) => {
    const path = named === "PKG-INFO" ? (paths.find(isPythonMetadata) ?? named) : named;
    const bytes = (await readCapped(join(root, path), maxManifestBytes))?.bytes;
    return bytes ? Buffer.from(bytes).toString("utf8") : undefined;
  };
}
