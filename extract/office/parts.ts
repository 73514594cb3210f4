import { fromBufferPromise } from "yauzl";
import { Failure } from "../../domain/failures.ts";
import type { Refused } from "../markdown/index.ts";
import { zipEntries } from "../zip.ts";

/** Maximum size of the parts of a document that are read, unpacked, in bytes. Pictures are not read. */
const maxParts = 100_000_000;

/** The parts of an Office Open XML document that are XML, by their path; or why there are none. */
export async function readParts(bytes: Uint8Array): Promise<ReadonlyMap<string, Buffer> | Refused> {
  const parts = new Map<string, Buffer>();
  let size = 0;
  try {
    const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const wanted = (entry: { readonly path: string; readonly size: number }): boolean => {
      const isPart = /\.(?:xml|rels)$/i.test(entry.path);
      if (isPart) size += entry.size;
      if (size > maxParts) throw new Failure("library_too_large", "");
      return isPart;
    };
    const entries = zipEntries((options) => fromBufferPromise(archive, options), "the document", { wanted });
    for await (const { path, bytes: part } of entries) parts.set(path, part);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === "library_too_large")
      return { code: "too_large", reason: `The text of the document has more than ${maxParts} bytes.` };
    return unreadable(isCompound(bytes) ? encrypted : "The file is damaged, or not what its name says.");
  }
  return parts;
}

const encrypted = "The file is protected by a password, or in the format of Office 97. Save it without one.";

/** Encrypted documents, and those of Office before 2007, are in a Compound File. */
function isCompound(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 4)).toString("hex") === "d0cf11e0";
}

/** The refusal of a file that cannot be read. */
export function unreadable(reason: string): Refused {
  return { code: "unreadable", reason };
}

/** Loads the optional package that reads a format. @throws Failure service_unavailable without it */
export async function loaded<Module>(load: () => Promise<Module>, format: string, name: string): Promise<Module> {
  return load().catch((error: unknown) => {
    const advice = `${format} is read with the package ${name}: npm install ${name}, then refresh or upload it again.`;
    throw new Failure("service_unavailable", advice, { cause: error });
  });
}

/** Names of fonts whose characters are all of one width. */
const monospaced =
  /mono|courier|consol|menlo|monaco|typewriter|cascadia|fixed|terminal|inconsolata|cmtt|\bcode\b|\bhack\b/i;

export function isMonospaced(font: string | null | undefined): boolean {
  return font !== null && font !== undefined && monospaced.test(font);
}
