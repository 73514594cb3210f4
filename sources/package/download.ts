import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { Failure } from "../../domain/failures.ts";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { get, invalidMetadata } from "./registry.ts";
import type { Archive, RegistryConnection } from "./registry.ts";

/** Cap on an archive, in bytes: larger packages hold whole programs, and no more documentation. */
const maxArchive = 300_000_000;

/**
 * Downloads an archive into a file, and verifies its checksum.
 * @throws Failure source_invalid for another checksum, library_too_large, and what the client throws
 */
export async function download(
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
