import { join } from "node:path";
import { collect } from "../../../activities/collect.ts";
import { createFolding, readPart } from "../../../activities/parts.ts";
import { parseOnThread, type ParseInput } from "../../../activities/parse-page.ts";
import { createFolderSource } from "../../../sources/folder/index.ts";
import { createThreadPool } from "../../../sources/lib/threads/thread-pool.ts";
import { createFolderBlobStore } from "../../../stores/blobs/folder.ts";
import type { Manifest, ManifestPage } from "../../../domain/generation.ts";
import type { FileSelection } from "../../../domain/source.ts";
import { readPassage, type Passage } from "../../../domain/passage.ts";
import { formatOf, extractPage } from "../../../extract/index.ts";
import type { PageResult } from "../../../extract/page.ts";
import { temporaryFolder } from "../../../test/support/lectern-process.ts";

/** A page of a library and its outcome. */
export interface CollectedPage extends Pick<ManifestPage, "outcome" | "code"> {
  /** The page with the files that it includes. */
  readonly input: ParseInput;
  readonly result: PageResult;
  /** Its passages; those that are not served have flags. */
  readonly passages: readonly Passage[];
}

/** An indexed library. */
export interface CollectedLibrary {
  readonly name: string;
  /** Folder of its files. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** The pages that were read, in the order of the source. */
  readonly pages: readonly CollectedPage[];
}

/** The files of a folder to read. */
export interface Chosen {
  /** Endings of names, with the dot. */
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
  { parts, ...changes }: Manifest,
  read: (part: Manifest["parts"][number]) => Promise<Buffer>,
): Promise<readonly (readonly Passage[])[]> {
  const fold = createFolding(changes);
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

/** Extracts a page once more, as generations do not have the blocks that were left out. */
async function extractAgain({ path, mediaType, bytes, includes = [] }: ParseInput): Promise<PageResult> {
  const files = new Map(
    includes.flatMap(({ path: at, bytes: content, reason }) => {
      const contentOrReason = content ?? reason;
      return contentOrReason === undefined ? [] : [[at, contentOrReason] as const];
    }),
  );
  const page = { path, mediaType, bytes, files };
  return extractPage(page, await formatOf(mediaType, page));
}
