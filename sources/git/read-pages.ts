import { Failure } from "../../domain/failures.ts";
import type { IncludedFile, ReadLimits, SourceItem } from "../../domain/ports.ts";
import type { IncludedRef } from "../../domain/generation.ts";
import { includeLimits, includesOf, isIncludable } from "../../extract/includes/index.ts";
import {
  createIncluded,
  createIncludeRefs,
  knownItem,
  resolveIncludes,
  type IncludesOfPage,
  type IncludeTree,
  type TreeFile,
} from "../lib/tree/includes.ts";
import type { Checkout, GitBlob, PlannedPage, TreeEntry } from "./tree.ts";

/** The files of a commit that pages may include. */
export interface TreeFiles {
  /** Passes entries on and records them. */
  through(batches: AsyncIterable<readonly TreeEntry[]>): AsyncGenerator<readonly TreeEntry[]>;
  find(path: string): TreeFile | undefined;
}

/** Maximum number of files that can be included, the first of the tree, at some 200 bytes of memory each. */
const maxFiles = 500_000;
/** Longest path that can be included, in characters. */
const maxPath = 500;

/** Creates an empty collection. */
export function createTreeFiles(): TreeFiles {
  const oids = new Map<string, string>();
  const links = new Set<string>();
  return {
    async *through(batches) {
      for await (const batch of batches) {
        for (const { path, mode, oid } of batch) {
          if (
            mode === "160000" ||
            oids.size >= maxFiles ||
            path.length > maxPath ||
            oids.has(path) ||
            !isIncludable(path)
          )
            continue;
          oids.set(path, oid);
          if (mode === "120000") links.add(path);
        }
        yield batch;
      }
    },
    find(path) {
      const fingerprint = oids.get(path);
      if (fingerprint === undefined) return undefined;
      return links.has(path) ? { path, fingerprint, reason: "is a symbolic link" } : { path, fingerprint };
    },
  };
}

/** A planned page, with the includes of its kept result; without them the page has to be read. */
export interface PageToRead extends PlannedPage {
  readonly known?: readonly IncludedRef[];
}

/** The commit that pages are read from. */
export interface PageSource {
  readonly checkout: Checkout;
  readonly files: TreeFiles;
  readonly limits: ReadLimits;
  /** The address of a file. */
  readonly toUrl: (path: string) => string;
}

/** Maximum number of blobs that one process reads, included files counted: their IDs are held in memory. */
const maxGroup = 10_000;

/**
 * Reads pages in order. They are streamed up to the first one that includes other files. From there on all included files are found
 * first, with one request for each level of includes.
 */
export async function* readPages(pages: readonly PageToRead[], source: PageSource): AsyncGenerator<SourceItem> {
  const { checkout, limits, toUrl } = source;
  const refs = createIncludeRefs();
  const held: PageToRead[] = [];
  const wanted = pages.filter((page) => isWanted(page));
  const contents = openBlobs(
    checkout,
    wanted.map(({ page }) => page.fingerprint),
    limits.pageBytes,
  );
  try {
    for (const plan of pages) {
      const item = isWanted(plan)
        ? toItem(plan.page, await contents.next(), limits.pageBytes)
        : unreadItem(plan, toUrl);
      if (item.type === "page") {
        const includes = includesOf({ path: item.page.key, bytes: item.bytes });
        if (includes.length > 0) refs.add(item.page.key, includes);
        if (held.length > 0 || includes.length > 0) held.push(plan);
      } else if (held.length > 0) held.push(plan);
      if (held.length === 0) yield item;
    }
    await contents.end();
  } finally {
    await contents.close();
  }
  if (held.length === 0) return;
  const withIncludes = held.map(({ page }) => page.key).filter((path) => refs.has(path));
  const includesOfPage = await resolveIncludes(withIncludes, refs, toIncludeTree(source));
  for (const group of groupsOf(held, includesOfPage)) yield* readGroup(group, source);
}

interface Planned {
  readonly plan: PageToRead;
  readonly files: readonly TreeFile[];
}

function* groupsOf(pages: readonly PageToRead[], includesOfPage: IncludesOfPage): Generator<readonly Planned[]> {
  let group: Planned[] = [];
  let size = 0;
  for (const plan of pages) {
    const files = isWanted(plan) ? includesOfPage(plan.page.key) : [];
    group.push({ plan, files });
    size += 1 + files.length;
    if (size < maxGroup) continue;
    yield group;
    group = [];
    size = 0;
  }
  yield group;
}

async function* readGroup(
  group: readonly Planned[],
  { checkout, limits, toUrl }: PageSource,
): AsyncGenerator<SourceItem> {
  const oids = group.flatMap(({ plan, files }) =>
    isWanted(plan) ? [plan.page.fingerprint, ...files.filter(isReadable).map(({ fingerprint }) => fingerprint)] : [],
  );
  const contents = openBlobs(checkout, oids, limits.pageBytes);
  try {
    for (const { plan, files } of group) {
      if (!isWanted(plan)) {
        yield unreadItem(plan, toUrl);
        continue;
      }
      const item = toItem(plan.page, await contents.next(), limits.pageBytes);
      const toIncluded = createIncluded(toUrl);
      const includes: IncludedFile[] = [];
      for (const file of files)
        includes.push(toIncluded(file, isReadable(file) ? (await contents.next()).bytes : null));
      yield item.type === "page" && includes.length > 0 ? { ...item, includes } : item;
    }
    await contents.end();
  } finally {
    await contents.close();
  }
}

function isReadable({ fingerprint, reason }: TreeFile): boolean {
  return fingerprint !== "" && reason === undefined;
}

function isWanted({ skip, known }: PageToRead): boolean {
  return skip === undefined && known === undefined;
}

/** The item of a page that is not read. */
function unreadItem({ page, skip, known = [] }: PageToRead, toUrl: (path: string) => string): SourceItem {
  if (skip !== undefined) return { type: "skipped", page, ...skip };
  return knownItem(page, known, toUrl);
}

function toIncludeTree({ checkout, files: { find } }: PageSource): IncludeTree {
  const oidsOf = (files: readonly TreeFile[]): string[] => files.map(({ fingerprint }) => fingerprint);
  return {
    find: async (path) => find(path),
    fetch: (files) => checkout.fetch(oidsOf(files)),
    async *read(files) {
      for await (const { bytes } of checkout.blobs(oidsOf(files), includeLimits.fileBytes)) yield bytes;
    },
  };
}

interface OpenBlobs {
  /** The next blob. @throws Failure source_invalid at the end */
  next(): Promise<GitBlob>;
  /** Waits for the end after the last one. */
  end(): Promise<void>;
  /** Stops reading. */
  close(): Promise<void>;
}

function openBlobs(checkout: Checkout, oids: readonly string[], maxBytes: number): OpenBlobs {
  const contents = checkout.blobs(oids, maxBytes)[Symbol.asyncIterator]();
  return {
    async next() {
      const { value, done } = await contents.next();
      if (done === true)
        throw new Failure("source_invalid", "The Git server sent fewer documents than the commit has.");
      return value;
    },
    async end() {
      await contents.next();
    },
    async close() {
      await contents.return?.();
    },
  };
}

const lfsMark = Buffer.from("version https://git-lfs.github.com/spec/v1\n");

function toItem(page: PlannedPage["page"], blob: GitBlob, pageBytes: number): SourceItem {
  if (blob.bytes === null) {
    const reason = `The file has ${blob.size} bytes, more than the ${pageBytes} that are read.`;
    return { type: "skipped", page, code: "too_large", reason, bytes: blob.size };
  }
  if (lfsMark.equals(blob.bytes.subarray(0, lfsMark.length))) {
    const reason = "The file is kept in Git LFS, and only its pointer is in the repository.";
    return { type: "skipped", page, code: "lfs_pointer", reason, bytes: blob.size };
  }
  return { type: "page", page, bytes: blob.bytes };
}
