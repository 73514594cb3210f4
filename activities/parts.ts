import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { Failure, isFailure } from "../domain/failures.ts";
import { isKind } from "../domain/kinds/index.ts";
import { linesOf, readPassage } from "../domain/passage.ts";
import type { BlobStore } from "../domain/ports.ts";
import type { Manifest, ManifestPage, Part } from "../domain/generation.ts";
import { withoutParts } from "../extract/boilerplate.ts";

const zstd = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Uncompressed size at which a part is closed, in bytes. */
const partSize = 1_000_000;

/** Size of an output chunk in bytes. Each chunk waits for a thread, and Node's default is 16 kB. */
const chunkSize = 262_144;

/** Maximum uncompressed size of a part or manifest, in bytes. */
const maxPartSize = 512_000_000;

/** Format of written manifests and exports; earlier formats are read too. */
export const manifestFormat = 2;

/** Prefix of the keys of all blobs of a generation; it ends in `/`. */
export function generationPrefix(generation: string): string {
  return `generations/${generation}/`;
}

/** Writes the parts of a generation. */
export interface PartWriter {
  /**
   * Adds the lines of a page, in UTF-8 with a line break after each; `count` is their number, `findings` the number of those with findings.
   * They stay together in one part. Resolves when there is room for the next page.
   */
  write(page: ManifestPage, lines: Uint8Array, count: number, findings?: number): Promise<void>;
  /** Stores all lines so far, so that a broken attempt leaves their pages. */
  flush(): Promise<void>;
  /** Writes the rest, and returns all parts and pages in order. */
  close(): Promise<{ readonly parts: readonly Part[]; readonly pages: readonly ManifestPage[] }>;
}

/**
 * Writes a generation's lines as compressed NDJSON parts, `snippets-<attempt>-<n>`, each with a list of its pages,
 * `pages-<attempt>-<n>`: the checkpoint of a broken attempt. One part is compressed and stored while the next fills.
 * Keys contain the name of the attempt, so that two attempts never write the same key.
 */
export function createPartWriter(blobs: BlobStore, generation: string, attempt: string): PartWriter {
  const parts: Part[] = [];
  const pages: ManifestPage[] = [];
  /** Lines of the current part. */
  let filling: Uint8Array[] = [];
  let number = 0;
  let firstPage = 0;
  let count = 0;
  let withFindings = 0;
  let size = 0;
  let storing: Promise<void> = Promise.resolve();

  const store = async (
    number: number,
    content: Uint8Array,
    count: number,
    findings: number,
    held: readonly ManifestPage[],
  ): Promise<void> => {
    const key = partKey(generation, attempt, number);
    const bytes = await compress(content);
    await blobs.put(key, bytes);
    parts.push({ key, sha256: sha256(bytes), lines: count, bytes: bytes.length, ...(findings > 0 && { findings }) });
    await blobs.put(pagesKey(key), await compress(held.map((page) => `${JSON.stringify(page)}\n`).join("")));
  };
  const closePart = async (): Promise<void> => {
    if (count === 0) return;
    const part = [number, Buffer.concat(filling), count, withFindings, pages.slice(firstPage)] as const;
    number += 1;
    filling = [];
    count = 0;
    withFindings = 0;
    size = 0;
    firstPage = pages.length;
    await storing;
    storing = store(...part);
    // It is awaited later; until then a rejection must not be unhandled.
    storing.catch(() => {});
  };
  const flush = async (): Promise<void> => {
    await closePart();
    await storing;
  };

  return {
    async write(page, lines, ownCount, findings = 0) {
      pages.push(page.key === undefined ? page : { ...page, place: [number, count, ownCount] });
      filling.push(lines);
      size += lines.length;
      count += ownCount;
      withFindings += findings;
      if (size >= partSize) await closePart();
    },
    flush,
    async close() {
      await flush();
      return { parts, pages };
    },
  };
}

/** The key of the list of a part's pages. */
function pagesKey(part: string): string {
  return part.replace("/snippets-", "/pages-");
}

/** The key of the part, from the key of its list of pages; undefined for other keys. */
export function partOfPages(key: string): string | undefined {
  return key.includes("/pages-") ? key.replace("/pages-", "/snippets-") : undefined;
}

function partKey(generation: string, attempt: string, number: number): string {
  return `${generationPrefix(generation)}snippets-${attempt}-${String(number).padStart(5, "0")}.ndjson.zst`;
}

/** The stored bytes of a part, checked against its hash. @throws Failure generation_damaged if it is missing or the hash differs */
export async function checkPart(blobs: BlobStore, part: Pick<Part, "key" | "sha256">): Promise<Uint8Array> {
  const bytes = await blobs.get(part.key);
  if (!bytes) throw damaged(`The part ${part.key} is missing`);
  if (sha256(bytes) !== part.sha256) throw damaged(`The part ${part.key} is damaged`);
  return bytes;
}

/** The content of a part. @throws Failure generation_damaged if it is missing or the hash differs */
export async function readPart(blobs: BlobStore, part: Pick<Part, "key" | "sha256">): Promise<Buffer> {
  return decompressAll(await checkPart(blobs, part));
}

/** The lines of a part. @throws Failure generation_damaged if it is missing or the hash differs */
export async function readPartLines(blobs: BlobStore, part: Pick<Part, "key" | "sha256">): Promise<readonly string[]> {
  return [...linesOf(await readPart(blobs, part))];
}

/** The lines of a part that is in no manifest; undefined if it is missing or damaged. */
export async function readLooseLines(blobs: BlobStore, key: string): Promise<readonly string[] | undefined> {
  const bytes = await blobs.get(key);
  return (
    bytes &&
    decompressAll(bytes).then(
      (part) => [...linesOf(part)],
      () => undefined,
    )
  );
}

/** Writes the manifest, which completes the generation. */
export async function writeManifest(blobs: BlobStore, manifest: Manifest): Promise<void> {
  await blobs.put(manifestKey(manifest.generation), await compress(JSON.stringify(manifest)));
}

/** The manifest of a generation that must have one. @throws Failure generation_damaged if it is missing or damaged */
export async function manifestOf(blobs: BlobStore, generation: string): Promise<Manifest> {
  const bytes = await blobs.get(manifestKey(generation));
  const name = `The manifest of the generation ${generation}`;
  if (!bytes) throw damaged(`${name} is missing`);
  let read: unknown;
  try {
    read = JSON.parse((await decompressAll(bytes)).toString("utf8"));
  } catch (cause) {
    throw damaged(`${name} is damaged`, cause);
  }
  checkReadable(read, name);
  return read as Manifest;
}

/**
 * Refuses the manifest of a newer version of Lectern. `name` begins the error message.
 * @throws Failure format_unknown
 */
export function checkReadable(manifest: unknown, name: string): void {
  const { format, source } = manifest as { format?: unknown; source?: { kind?: unknown } };
  if (typeof format === "number" && format > manifestFormat)
    throw new Failure(
      "format_unknown",
      `${name} has format ${format}, and this version of Lectern reads formats up to ${manifestFormat}. Use a newer version.`,
    );
  if (typeof source?.kind === "string" && !isKind(source.kind))
    throw new Failure(
      "format_unknown",
      `${name} has a source of kind "${source.kind}", which this version of Lectern does not know. Use a newer version.`,
    );
}

/** The manifest of a generation; undefined if it is missing or damaged. */
export async function readManifest(blobs: BlobStore, generation: string): Promise<Manifest | undefined> {
  return unlessDamaged(manifestOf(blobs, generation));
}

/** The result of reading; undefined if what is read is missing or damaged. Other failures are thrown. */
export async function unlessDamaged<T>(reading: Promise<T>): Promise<T | undefined> {
  return (await damageIn(reading)) === undefined ? reading : undefined;
}

/** The error message if what is read is missing or damaged, else undefined. Other failures are thrown. */
export async function damageIn(reading: Promise<unknown>): Promise<string | undefined> {
  try {
    await reading;
    return undefined;
  } catch (error) {
    if (isFailure(error, "generation_damaged")) return error.message;
    throw error;
  }
}

/** The key of the manifest of a generation. */
export function manifestKey(generation: string): string {
  return `${generationPrefix(generation)}manifest.json.zst`;
}

/** Compresses fast rather than small, at level 1; with a checksum, so that damage is detected. */
export function compress(content: string | Uint8Array): Promise<Buffer> {
  const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
  return zstd(content, { params, chunkSize });
}

/** Reverses `compress`. Rejects if the bytes are damaged. */
export function decompressAll(bytes: Uint8Array): Promise<Buffer> {
  return decompress(bytes, { maxOutputLength: maxPartSize, chunkSize });
}

/** SHA-256, hex. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function damaged(how: string, cause?: unknown): Failure {
  const message = `${how}. Refresh the library to rebuild it.`;
  return new Failure("generation_damaged", message, { cause });
}

/** Maximum number of places of copies that a passage lists. */
const maxPlaces = 20;

const lineBreak = 10;
const brace = 125;
const encoder = new TextEncoder();
const folded = encoder.encode(',"flags":["duplicate"]}\n');

/**
 * Creates a function that applies the folds and cuts of a manifest to its parts, called with one part after the other: copies and passages
 * without anything left get a flag, others lose what is cut, and the served passage gets the places of its copies (`Passage.also`). Stored
 * parts are not changed.
 */
export function createFolding({
  folds = [],
  cuts = [],
}: Pick<Manifest, "folds" | "cuts">): (part: Buffer) => Uint8Array {
  const cutAt = new Map(cuts.map(({ line, parts }) => [line, parts]));
  const copies = new Set([...folds, ...cuts.filter(({ parts }) => parts.length === 0)].map(({ line }) => line));
  const also = new Map<number, string[]>();
  for (const { into, place } of folds) {
    const places = also.get(into) ?? [];
    if (places.length < maxPlaces && !places.includes(place)) places.push(place);
    also.set(into, places);
  }
  let line = 0;
  return (part) => {
    if (folds.length === 0 && cuts.length === 0) return part;
    const pieces: Uint8Array[] = [];
    let kept = 0;
    for (let start = 0; start < part.length; line += 1) {
      const end = part.indexOf(lineBreak, start) + 1;
      const places = also.get(line);
      const cut = cutAt.get(line) ?? [];
      if (copies.has(line) || places !== undefined || cut.length > 0) {
        pieces.push(part.subarray(kept, start));
        const stored = part.subarray(start, part.lastIndexOf(brace, end - 1));
        pieces.push(cut.length === 0 ? stored : encoder.encode(withoutCut(`${stored.toString()}}`, cut)));
        if (copies.has(line)) pieces.push(folded);
        else pieces.push(encoder.encode(places === undefined ? "}\n" : `,"also":${JSON.stringify(places)}}\n`));
        kept = end;
      }
      start = end;
    }
    pieces.push(part.subarray(kept));
    return Buffer.concat(pieces);
  };
}

/** A line without parts of its prose and without its last brace. */
function withoutCut(line: string, parts: readonly number[]): string {
  return JSON.stringify(withoutParts(readPassage(line), parts)).slice(0, -1);
}
