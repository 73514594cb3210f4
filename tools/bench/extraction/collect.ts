import { join } from "node:path";
import { collect } from "../../../activities/collect.ts";
import { createFolding, readPart } from "../../../activities/parts.ts";
import { parseOnThread } from "../../../activities/parse-page.ts";
import type { ParseInput } from "../../../activities/parse-page.ts";
import { createFolderSource } from "../../../sources/folder/index.ts";
import { createThreadPool } from "../../../sources/lib/threads/thread-pool.ts";
import { createFolderBlobStore } from "../../../stores/blobs/folder.ts";
import type { Manifest, ManifestPage } from "../../../domain/generation.ts";
import type { FileSelection } from "../../../domain/source.ts";
import { readPassage } from "../../../domain/passage.ts";
import type { Passage } from "../../../domain/passage.ts";
import { formatOf, extractPage } from "../../../extract/index.ts";
import type { PageResult } from "../../../extract/page.ts";
import { temporaryFolder } from "../../../test/support/lectern-process.ts";

/** A page of a library as it was read, and what became of it. */
export interface CollectedPage extends Pick<ManifestPage, "outcome" | "code"> {
  /** With the files that it includes. */
  readonly input: ParseInput;
  readonly result: PageResult;
  /** Those that are not served have flags. */
  readonly passages: readonly Passage[];
}

/** A library as indexing leaves it. */
export interface CollectedLibrary {
  readonly name: string;
  /** Where its files lie. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** Those that were read, in the order of the source. */
  readonly pages: readonly CollectedPage[];
}

/** Which files of a folder are read, where these are not those of a folder source by default. */
export interface Chosen {
  /** Endings with their dot. */
  readonly extensions: readonly string[];
  readonly selection: FileSelection;
}

/** Indexes a folder as the folder source does, up to the generation. */
export async function collectLibrary(
  name: string,
  folder: string,
  { extensions, selection }: Chosen,
): Promise<CollectedLibrary> {
  await using scratch = await temporaryFolder();
  const blobs = createFolderBlobStore({ folder: join(scratch.path, "blobs") });
  const pool = createThreadPool({ maxThreads: 2 });
  const inputs = new Map<string, ParseInput>();
  try {
    const { manifest } = await collect(
      {
        blobs,
        source: createFolderSource({ roots: [folder], extensions, pool }),
        parse: (input, signal) => {
          inputs.set(input.path, input);
          return parseOnThread(pool, input, signal);
        },
      },
      {
        generation: "bench",
        library: { teamspace: "", id: `/docs/${name}` },
        version: "",
        optionsHash: "",
        spec: { kind: "folder", path: folder, selection },
        state: { revision: "0", ref: null, location: folder },
        title: "",
        description: "",
        upload: null,
        live: undefined,
      },
      {
        signal: new AbortController().signal,
        credential: null,
        scratch: scratch.path,
        keepFailed: 0,
        limits: { pages: 100_000, bytes: 1e9, pageBytes: 1e7 },
        report: () => undefined,
      },
    );
    const parts = await passagesOf(manifest, (part) => readPart(blobs, part));
    const pages: CollectedPage[] = [];
    for (const { path, outcome, code, place } of manifest.pages) {
      const input = inputs.get(path);
      if (input === undefined) continue;
      const [part = 0, first = 0, count = 0] = place ?? [];
      const passages = parts[part]?.slice(first, first + count) ?? [];
      const result = await extractAgain(input);
      pages.push({ input, result, passages, outcome, ...(code !== undefined && { code }) });
    }
    return { name, folder, manifest, pages };
  } finally {
    await pool.close();
  }
}

/** The passages of each part, with the flags of those that are folded. */
async function passagesOf(
  { parts, folds = [] }: Manifest,
  read: (part: Manifest["parts"][number]) => Promise<Buffer>,
): Promise<readonly (readonly Passage[])[]> {
  const fold = createFolding(folds);
  const all: Passage[][] = [];
  for (const part of parts)
    all.push(
      new TextDecoder()
        .decode(fold(await read(part)))
        .split("\n")
        .slice(0, -1)
        .map(readPassage),
    );
  return all;
}

/** What extraction leaves out of a page is in no generation. */
async function extractAgain({ path, mediaType, bytes, includes = [] }: ParseInput): Promise<PageResult> {
  const files = new Map(
    includes.flatMap(({ path: at, bytes: content, reason }) => {
      const found = content ?? reason;
      return found === undefined ? [] : [[at, found] as const];
    }),
  );
  return extractPage({ path, mediaType, bytes, files }, await formatOf(mediaType));
}
