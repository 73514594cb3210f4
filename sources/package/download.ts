import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { Failure } from "../../domain/failures.ts";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { refusal } from "./registry.ts";
import type { Archive, Asking } from "./registry.ts";

/** Cap on an archive, in bytes: packages that hold whole programs have hundreds of megabytes, and no more documentation for it. */
const maxArchive = 300_000_000;

/**
 * Downloads an archive into a file, and holds it to its checksum.
 * @throws Failure source_invalid for another checksum, library_too_large, and what the client throws
 */
export async function download(
  spec: PackageSourceSpec,
  { url, checksum }: Archive,
  path: string,
  { client, signal, authorization }: Asking,
): Promise<void> {
  // Registries keep archives on hosts of their own, which have no business with the token.
  const isOwn = url.origin === new URL(spec.url).origin;
  const headers = authorization !== null && isOwn ? { authorization } : {};
  const response = await client.request(url, { headers, signal, maxBytes: maxArchive });
  if (response.status !== 200) {
    response.discard();
    throw refusal(response.status, url, `archive of ${spec.name}`);
  }
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
      `The archive of ${spec.name} from ${url.host} is not what its registry says: the ${checksum?.algorithm} differs. Try again, or ask whoever runs the registry.`,
    );
}
