import { Failure } from "../../../domain/failures.ts";
import type { DescriptionFiles } from "../../../extract/openapi/cut.ts";
import type { FileReference, ReferringFile } from "../../../extract/openapi/references.ts";
import { tooLarge } from "../pages/limits.ts";
import type { DescriptionThread } from "./parsing.ts";

/** Maximum size of all files of a description, in bytes, and maximum number of them. */
export const maxDescriptionBytes = 50_000_000;
const maxFiles = 200;
/** Maximum number of unreadable files with a sentence each. */
const maxNamed = 5;

/** The submitted file, and a function to read the others. */
export interface ReferredFilesInput {
  readonly root: string;
  readonly base: string;
  readonly submitted: Uint8Array;
  /** Maximum size of all files, in bytes. */
  readonly maxBytes: number;
  readonly thread: Pick<DescriptionThread, "findReferences">;
  /** The name of a file in messages, by its address; the address by default. */
  readonly nameOf?: (address: string) => string;
  /**
   * Reads the file that a reference leads to, of at most `maxBytes`; or returns why it is not read, as the end of a sentence that begins
   * with the reference.
   * @throws Failure if another attempt may succeed, or the file is too large
   */
  read(reference: FileReference, maxBytes: number): Promise<{ readonly bytes: Uint8Array } | { readonly why: string }>;
}

/** A description with the files that were read, and a sentence for each other file. */
export interface DescriptionWithNotes {
  readonly description: DescriptionFiles;
  readonly notes: readonly string[];
}

/**
 * Reads the files that a description refers to, directly or indirectly, each once. Unreadable files are left out and named.
 * @throws Failure source_invalid if the submitted file cannot be parsed, library_too_large for too many files or bytes
 */
export async function readReferredFiles(input: ReferredFilesInput): Promise<DescriptionWithNotes> {
  const { root, base, submitted, maxBytes, thread, read, nameOf = (address) => address } = input;
  const files = new Map([[root, submitted]]);
  const unread = new Map<string, string>();
  const requested = new Set<string>();
  let left = maxBytes - submitted.length;
  if (left < 0) throw tooLarge(`${root} has more than the ${maxBytes} bytes that are read.`);
  // Iterating over a map includes entries that are added meanwhile.
  for (const [file, bytes] of files) {
    const isRoot = file === root;
    const [name, address] = isRoot ? [root, base] : [nameOf(file), file];
    const references = await referencesOf({ name, address, bytes, isRoot }, thread);
    if ("why" in references) {
      files.delete(file);
      unread.set(file, references.why);
      continue;
    }
    for (const reference of references) {
      const key = reference.url ?? ` ${reference.ref}`;
      if (requested.has(key) || files.has(key) || key === base) continue;
      requested.add(key);
      const other = await read(reference, left);
      if ("why" in other) {
        const sentence = `${name} refers to ${JSON.stringify(reference.ref)} at ${reference.pointer}, and ${other.why}.`;
        unread.set(key, sentence);
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

/** The references of a file, or why a referred file cannot be parsed. */
async function referencesOf(
  file: ReferringFile,
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
