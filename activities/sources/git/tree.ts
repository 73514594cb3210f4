import { Failure } from "../../../domain/failures.ts";
import type { PageRef, ReadLimits } from "../../../domain/ports.ts";
import type { SkipCode } from "../../../domain/snippet.ts";

/** A file of a commit's tree; folders are not listed. */
export interface TreeEntry {
  /** As Git writes it: 100644 and 100755 files, 120000 symbolic links, 160000 submodules. */
  readonly mode: string;
  readonly oid: string;
  readonly path: string;
}

/** What a file holds. `bytes` is null where it is larger than was asked for. */
export interface GitBlob {
  readonly size: number;
  readonly bytes: Uint8Array | null;
}

/** A commit that can be read, however it came here. */
export interface Checkout {
  /** All entries of the tree, in batches. */
  entries(): AsyncIterable<readonly TreeEntry[]>;
  /** Brings the blobs of these ids here, in one request where some are not here yet. */
  fetch(oids: readonly string[]): Promise<void>;
  /** The blobs of these ids, fetched where need be, one for each and in their order. What is larger than `maxBytes` is not kept in memory. */
  blobs(oids: readonly string[], maxBytes: number): AsyncIterable<GitBlob>;
}

/** A page that is to be read, or why it is not. */
export interface PlannedPage {
  readonly page: PageRef;
  readonly skip?: { readonly code: SkipCode; readonly reason: string };
}

/** How pages are chosen out of a tree. */
export interface PlanOptions {
  readonly isDocument: (path: string) => boolean;
  readonly select: (paths: readonly string[]) => readonly string[];
  /** The address of a file; "" is the repository itself. */
  readonly toUrl: (path: string) => string;
  readonly limits: ReadLimits;
}

/** A tree that repeats folders inside one another can be endless at no cost to its maker. */
const maxEntries = 2_000_000;

/**
 * Chooses the documents of a tree, ordered by path in code units.
 * @throws Failure library_too_large where there are more than the limits allow
 */
export async function planPages(
  batches: AsyncIterable<readonly TreeEntry[]>,
  { isDocument, select, toUrl, limits }: PlanOptions,
): Promise<PlannedPage[]> {
  const documents = new Map<string, TreeEntry>();
  const unsafe: TreeEntry[] = [];
  let entries = 0;
  for await (const batch of batches) {
    entries += batch.length;
    if (entries > maxEntries)
      throw new Failure("library_too_large", `The repository has more than ${maxEntries} files in one commit.`);
    for (const entry of batch) {
      if (entry.mode === "160000" || !isDocument(entry.path)) continue;
      if (isSafePath(entry.path) && !documents.has(entry.path)) documents.set(entry.path, entry);
      else unsafe.push(entry);
    }
  }
  const chosen = select([...documents.keys()]);
  if (chosen.length + unsafe.length > limits.pages)
    throw new Failure(
      "library_too_large",
      `The repository has ${chosen.length + unsafe.length} documents, more than the ${limits.pages} that are indexed. Choose some with folders or excludeFolders.`,
    );

  const planned: PlannedPage[] = unsafe.map(({ path, oid }) => ({
    page: { path: toPrintable(path), url: toUrl(""), fingerprint: oid },
    skip: { code: "unsafe_path", reason: "The path leaves the repository, occurs twice or is not plain text." },
  }));
  for (const path of chosen) {
    const entry = documents.get(path);
    if (entry === undefined) continue;
    const page = { path, url: toUrl(path), fingerprint: entry.oid };
    const skip = { code: "symlink", reason: "The file is a symbolic link." } as const;
    planned.push(entry.mode === "120000" ? { page, skip } : { page });
  }
  return planned.sort((one, other) => (one.page.path < other.page.path ? -1 : one.page.path > other.page.path ? 1 : 0));
}

/** True for a relative path without a step upwards, empty steps, control characters or bytes that are not UTF-8. */
function isSafePath(path: string): boolean {
  return (
    !hasUnprintable.test(path) &&
    path.length <= 1024 &&
    path.split(/[/\\]/).every((segment) => segment !== "" && segment !== "." && segment !== "..")
  );
}

// U+FFFD is what decoding makes of bytes that are not UTF-8.
const hasUnprintable = /[\p{Cc}\p{Zl}\p{Zp}\uFFFD]/u;

function toPrintable(path: string): string {
  return path.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "\uFFFD").slice(0, 1024);
}
