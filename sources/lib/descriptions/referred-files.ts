import { Failure } from "../../../domain/failures.ts";
import type { DescriptionFiles } from "../../../extract/openapi/cut.ts";
import type { FileReference } from "../../../extract/openapi/references.ts";
import { tooLarge } from "../pages/limits.ts";
import type { DescriptionThread } from "./parsing.ts";

/** Maximum size of all files of a description, in bytes, and maximum number of them. */
export const maxDescriptionBytes = 50_000_000;
const maxFiles = 200;
/** Maximum number of files that cannot be read and have a sentence each. */
const maxNamed = 5;

/** The submitted file, and how the others are read. */
export interface ReferredFilesInput {
  readonly root: string;
  readonly base: string;
  readonly submitted: Uint8Array;
  /** Maximum size of all files, in bytes. */
  readonly maxBytes: number;
  readonly thread: Pick<DescriptionThread, "findReferences">;
  /** What messages call a file by its address; the address unless given. */
  readonly nameOf?: (address: string) => string;
  /**
   * Reads the file that a reference leads to, of at most `maxBytes`; or says why it is not read, as the end of a sentence that begins
   * with the reference.
   * @throws Failure where another attempt may read it, or it has too many bytes
   */
  read(reference: FileReference, maxBytes: number): Promise<{ readonly bytes: Uint8Array } | { readonly why: string }>;
}

/** A description with the files that were read, and a sentence for each that was not. */
export interface DescriptionWithNotes {
  readonly description: DescriptionFiles;
  readonly notes: readonly string[];
}

/**
 * Reads the files that a description refers to, and those that they refer to, each once. What cannot be read is left out and named.
 * @throws Failure source_invalid where the submitted file cannot be parsed, library_too_large for too many files or bytes
 */
export async function readReferredFiles(input: ReferredFilesInput): Promise<DescriptionWithNotes> {
  const { root, base, submitted, maxBytes, thread, read, nameOf = (address) => address } = input;
  const files = new Map([[root, submitted]]);
  const unread = new Map<string, string>();
  const asked = new Set<string>();
  let left = maxBytes - submitted.length;
  if (left < 0) throw tooLarge(`${root} has more than the ${maxBytes} bytes that are read.`);
  // Iterating over a map includes entries that are added meanwhile.
  for (const [file, bytes] of files) {
    const isRoot = file === root;
    const [name, address] = isRoot ? [root, base] : [nameOf(file), file];
    const found = await referencesOf({ name, address, bytes, isRoot }, thread);
    if ("why" in found) {
      files.delete(file);
      unread.set(file, found.why);
      continue;
    }
    for (const reference of found) {
      const key = reference.url ?? ` ${reference.ref}`;
      if (asked.has(key) || files.has(key) || key === base) continue;
      asked.add(key);
      const said = `${name} refers to ${JSON.stringify(reference.ref)} at ${reference.pointer}`;
      const other = await read(reference, left);
      if ("why" in other) {
        unread.set(key, `${said}, and ${other.why}.`);
        continue;
      }
      left -= other.bytes.length;
      files.set(key, other.bytes);
      if (left < 0 || files.size > maxFiles)
        throw tooLarge(`${root} refers to more than the ${maxFiles} files and ${maxBytes} bytes that are read.`);
    }
  }
  return { description: { root, base, files }, notes: notesOf([...unread.values()]) };
}

type Referring = Parameters<DescriptionThread["findReferences"]>[0];

/** The references of a file; of one that was referred to and cannot be parsed, why not. */
async function referencesOf(
  file: Referring,
  thread: ReferredFilesInput["thread"],
): Promise<readonly FileReference[] | { readonly why: string }> {
  try {
    return await thread.findReferences(file);
  } catch (error) {
    if (file.isRoot || !(error instanceof Failure) || error.code !== "source_invalid") throw error;
    return { why: error.message };
  }
}

function notesOf(unread: readonly string[]): string[] {
  const more = unread.length - maxNamed;
  return [
    ...unread.slice(0, maxNamed),
    ...(more > 0 ? [`${more} more ${more === 1 ? "file that is" : "files that are"} referred to cannot be read.`] : []),
  ];
}
