import { resolveAddress } from "./addresses.ts";
import { parseFile } from "./parse.ts";
import { refOf } from "./references.ts";
import { versionOf } from "./version.ts";
import { walk } from "./walk.ts";

/** A reference to another file. */
export interface FileReference {
  /** As it is written, or the beginning of that. */
  readonly ref: string;
  /** JSON pointer to the object that has it, or the beginning of that. */
  readonly pointer: string;
  /** Address of the file that it leads to, without a fragment; null where it leads to none. */
  readonly url: string | null;
}

/** A file whose references are wanted. */
export interface ReferringFile {
  /** What messages call it. */
  readonly name: string;
  /** What its relative references are relative to; for a file without an address its name. */
  readonly address: string;
  readonly bytes: Uint8Array;
  /** True for the submitted file, which has to be a description. */
  readonly isRoot: boolean;
}

/** Maximum number of files that one file refers to. */
const maxReferred = 1000;
/** Maximum length of a reference and of its place as they are reported, and of an address that is followed, in characters. */
const maxText = 300;
const maxAddress = 2000;

/**
 * The files that one file of a description refers to, each by the first reference to it, in positions where a reference is one: not in
 * examples, defaults, or extensions. At most `maxReferred`.
 * @throws Failure source_invalid for a file that cannot be parsed, or is no description
 */
export function findFileReferences({ name, address, bytes, isRoot }: ReferringFile): FileReference[] {
  const root = parseFile(bytes, name);
  if (isRoot) versionOf(root, name);
  const found = new Map<string, FileReference>();
  walk(root, (object, pointer) => {
    const ref = refOf(object);
    if (ref === undefined || ref.startsWith("#") || found.size >= maxReferred) return;
    const written = ref.slice(0, maxText);
    const url = ref.length > maxAddress ? null : resolveAddress(ref, address);
    const key = url ?? ` ${written}`;
    if (url !== address && !found.has(key))
      found.set(key, { ref: written, pointer: `#${pointer()}`.slice(0, maxText), url });
  });
  return [...found.values()];
}
