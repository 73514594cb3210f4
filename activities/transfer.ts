import { randomBytes } from "node:crypto";
import { z } from "zod";
import { Failure } from "../domain/failures.ts";
import { parseLibraryId } from "../domain/library.ts";
import type { BlobStore, LibraryRecord } from "../domain/ports.ts";
import type { Manifest, Snippet } from "../domain/snippet.ts";
import { failingPages, hashContent } from "./content-hash.ts";
import { kindOf } from "../domain/kinds/index.ts";
import { createFinisher } from "../extract/finish.ts";
import { beforeFinishing, toLine } from "../extract/snippets.ts";
import { uploadedFile } from "./uploaded-file.ts";
import { uploadKey, uploadPrefix } from "../domain/uploads.ts";
import { flagDuplicates, toPageLines } from "./page-lines.ts";
import {
  checkReadable,
  createPartWriter,
  generationPrefix,
  manifestFormat,
  manifestOf,
  readPartLines,
  writeManifest,
} from "./parts.ts";
import { sourceSpecSchema } from "./sources/index.ts";

/** What an export brought. */
export interface Imported {
  readonly manifest: Manifest;
  /** Id of the uploaded file that the library is read from; null: there is none. */
  readonly upload: string | null;
}

/**
 * A generation as lines of NDJSON: its manifest first, the uploaded file that the library is read from, if it is, then each
 * snippet as it stands in its part. `owner` is what the library is now: it may have been renamed since the manifest was written.
 */
export async function* exportGeneration(
  blobs: BlobStore,
  generation: string,
  owner?: Pick<LibraryRecord, "id" | "teamspace" | "source" | "upload">,
): AsyncGenerator<string> {
  const manifest = await manifestOf(blobs, generation);
  const { id, teamspace, source } = owner ?? { ...manifest.library, source: manifest.source };
  yield JSON.stringify({ ...manifest, library: { teamspace, id }, source });
  if (owner?.upload) yield JSON.stringify({ upload: await readUpload(blobs, owner.upload, id) });
  for (const part of manifest.parts) yield* await readPartLines(blobs, part);
}

/** An uploaded file as base64. @throws Failure source_not_found */
async function readUpload(blobs: BlobStore, upload: string, id: string): Promise<string> {
  return Buffer.from(await uploadedFile(blobs, upload, id)).toString("base64");
}

/**
 * Takes exported lines back as the generation `generation`, after checking every line, the counts and the content hash.
 * @throws Failure validation_error where the lines are not a whole export; what was written by then is removed
 */
export async function importGeneration(
  blobs: BlobStore,
  lines: AsyncIterable<string>,
  generation: string,
): Promise<Imported> {
  try {
    return await takeIn(blobs, lines, generation);
  } catch (error) {
    await blobs.removeAll(generationPrefix(generation));
    await blobs.removeAll(uploadPrefix(generation));
    throw error;
  }
}

async function takeIn(blobs: BlobStore, lines: AsyncIterable<string>, generation: string): Promise<Imported> {
  const writer = createPartWriter(blobs, generation, randomBytes(4).toString("hex"));
  let finisher = createFinisher();
  let manifest: Manifest | undefined;
  let upload: string | null = null;
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (!manifest) {
      manifest = parseManifest(line);
      finisher = createFinisher({ order: kindOf(manifest.source).order });
      continue;
    }
    if (number === 2 && line.startsWith(uploadLine)) {
      // An id of its own: the export may be of a library that this server has.
      upload = generation;
      await blobs.put(uploadKey(upload), parseUpload(line));
      continue;
    }
    const snippet = parseSnippet(line, number);
    const path = snippet.source.path ?? snippet.page.url;
    const { lines: own, marks } = toPageLines([toLine(beforeFinishing(snippet))]);
    const duplicates = finisher.take({ path, title: "", languages: languagesOf(snippet) }, marks);
    await writer.write({ path, url: snippet.page.url, outcome: "indexed" }, flagDuplicates(own, duplicates), 1);
  }
  if (!manifest) throw new Failure("validation_error", "The file is empty. An export begins with its manifest.");
  const { parts } = await writer.close();
  const { contentHash, counts } = finisher.finish();
  if (hashContent(contentHash, manifest.settings, failingPages(manifest.pages)) !== manifest.contentHash) {
    const message = `The ${number - 1} snippets in the file do not match the manifest's checksum. Export the library again.`;
    throw new Failure("validation_error", message);
  }
  // Where its pages lie is another generation's matter; without it the next refresh reads all of them.
  const pages = manifest.pages.map(({ key: _key, place: _place, includes: _includes, ...page }) => page);
  const taken: Manifest = { ...manifest, counts: { ...manifest.counts, ...counts }, generation, parts, pages };
  await writeManifest(blobs, taken);
  return { manifest: taken, upload };
}

function languagesOf({ codes }: Snippet): Record<string, number> {
  const languages: Record<string, number> = {};
  for (const { language } of codes) languages[language] = (languages[language] ?? 0) + 1;
  return languages;
}

const text = z.string();
const count = z.number().int().nonnegative();
const manifestSchema = z.object({
  format: z.literal(manifestFormat),
  generation: text,
  library: z.object({ teamspace: text, id: text }),
  version: text,
  title: text,
  description: text,
  source: sourceSpecSchema,
  settings: z
    .object({
      title: text.optional(),
      description: text.optional(),
      rules: z.array(text).optional(),
      versions: z.array(z.object({ ref: text, kind: z.enum(["branch", "tag"]), title: text.optional() })).optional(),
    })
    .optional(),
  revision: text,
  ref: text.nullable(),
  optionsHash: text,
  extractor: text,
  contentHash: text,
  counts: z.object({
    pages: count,
    pagesSkipped: count,
    pagesFailed: count,
    code: count,
    info: count,
    quarantined: count,
    duplicates: count,
    tokens: count,
    bytes: count,
  }),
  language: text,
  parts: z.array(z.unknown()),
  pages: z.array(
    z.object({
      path: text,
      url: text,
      outcome: z.enum(["indexed", "skipped", "failed"]),
      code: text.optional(),
      reason: text.optional(),
      title: text.optional(),
      snippets: count.optional(),
      bytes: count.optional(),
      failures: count.optional(),
    }),
  ),
});

/** How the line of an uploaded file begins. */
const uploadLine = '{"upload":';
const uploadSchema = z.object({ upload: z.base64() });

const snippetSchema = z.object({
  id: text.min(1).max(200),
  kind: z.enum(["code", "info"]),
  title: text,
  description: text,
  breadcrumb: z.array(text),
  codes: z.array(
    z.object({
      language: text,
      code: text,
      file: text.optional(),
      sources: z.array(z.object({ path: text, url: text, lines: z.tuple([count, count]) })).optional(),
      madeFrom: text.optional(),
    }),
  ),
  content: text.optional(),
  page: z.object({ title: text, url: text }),
  source: z.object({
    path: text.optional(),
    url: text,
    resource: text.optional(),
    lines: z.tuple([count, count]).optional(),
    ordinal: count.optional(),
    revision: text,
  }),
  tokens: count,
  flags: z.array(z.enum(["duplicate", "quarantined"])).optional(),
});

function parseManifest(line: string): Manifest {
  const read = parseJson(line, 1);
  checkReadable(read, "The export");
  const manifest = manifestSchema.safeParse(read);
  if (!manifest.success)
    throw new Failure("validation_error", `Line 1 is not a manifest: ${z.prettifyError(manifest.error)}`);
  parseLibraryId(manifest.data.library.id);
  return manifest.data as unknown as Manifest;
}

function parseUpload(line: string): Uint8Array {
  const upload = uploadSchema.safeParse(parseJson(line, 2));
  if (!upload.success)
    throw new Failure("validation_error", `Line 2 is not an uploaded file: ${z.prettifyError(upload.error)}`);
  return Buffer.from(upload.data.upload, "base64");
}

function parseSnippet(line: string, number: number): Snippet {
  const snippet = snippetSchema.safeParse(parseJson(line, number));
  if (!snippet.success)
    throw new Failure("validation_error", `Line ${number} is not a snippet: ${z.prettifyError(snippet.error)}`);
  return snippet.data as Snippet;
}

function parseJson(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Failure("validation_error", `Line ${number} is not JSON. An export has one JSON object a line.`, {
      cause,
    });
  }
}
