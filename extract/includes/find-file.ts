import { decodePage, encodingNotes } from "../decode.ts";
import { splitLines, type SourceLines } from "../markdown/lines.ts";
import { holdsKey, whyRefused } from "./includable-files.ts";
import { includeLimits } from "./selection.ts";

/** Content by path in the tree, or why a file cannot be included, as the end of a sentence. */
export type IncludableFiles = ReadonlyMap<string, Uint8Array | string>;

/** A file that a page includes. */
export interface IncludeRef {
  /** Candidate paths in the tree, the best first; the first existing file is included. */
  readonly places: readonly string[];
  /** The path depends on files that the page includes or is configured by; `includesOf` finds it once these are known. */
  readonly isOpen?: boolean;
  /** Only the title of the file is shown, so that what it refers to is not needed. */
  readonly isLeaf?: boolean;
}

/** A file to include. */
export interface IncludedFile {
  readonly path: string;
  readonly lines: SourceLines;
}

/**
 * Creates the function that opens the first existing file of some candidate paths. `stack`: the files that include it, the page first.
 * `notes` gets sentences about encodings. @returns the file, or why it cannot be included, as the end of a sentence
 */
export function createFinder(files: IncludableFiles, notes: string[]) {
  const openedFiles = new Map<string, IncludedFile | string>();
  return (places: readonly string[], stack: readonly string[]): IncludedFile | string => {
    if (places.length === 0) return "is no path inside of the tree";
    const allowed = places.filter((one) => whyRefused(one) === undefined);
    if (allowed.length === 0) return whyRefused(places[0] ?? "") ?? "";
    const place = allowed.find((one) => files.has(one));
    if (place === undefined)
      return files.size < includeLimits.files ? "is not in the tree" : "is not among the files that a page may include";
    if (stack.includes(place)) return "includes itself";
    if (stack.length > includeLimits.depth) return `is included more than ${includeLimits.depth} files deep`;
    const known = openedFiles.get(place);
    if (known !== undefined) return known;
    const file = open(place, files.get(place) ?? "", notes);
    openedFiles.set(place, file);
    return file;
  };
}

function open(path: string, content: Uint8Array | string, notes: string[]): IncludedFile | string {
  if (typeof content === "string") return content;
  if (content.length > includeLimits.fileBytes)
    return `has ${content.length} bytes, more than the ${includeLimits.fileBytes} that are included`;
  const decoded = decodePage(content);
  if ("code" in decoded) {
    if (decoded.code === "empty") return "is empty";
    return decoded.code === "lfs_pointer" ? "is kept in Git LFS, only its pointer is in the tree" : "is not text";
  }
  if (holdsKey(decoded.text)) return "holds a private key";
  if (decoded.damaged) return "is not UTF-8";
  notes.push(...encodingNotes(`The included ${path}`, decoded));
  return { path, lines: splitLines(decoded.text) };
}
