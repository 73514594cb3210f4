import { hash } from "node:crypto";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { Failure } from "../domain/failures.ts";
import type { BlobStore } from "../domain/ports.ts";
import type { Manifest, ManifestPage, Part } from "../domain/snippet.ts";
import type { LibrarySettings } from "../domain/source.ts";

const zstd = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Uncompressed size at which a part is closed, in bytes. */
const partSize = 1_000_000;

/** No part and no manifest is larger than this uncompressed, in bytes: one line is one page or snippet at most. */
const maxPart = 512_000_000;

/** Where everything of a generation lies; the key ends in `/`. */
export function generationPrefix(generation: string): string {
  return `generations/${generation}/`;
}

export interface PartWriter {
  /** Adds the lines of a page. They stay together in one part. Resolves when there is room for the next page. */
  write(page: ManifestPage, lines: readonly string[]): Promise<void>;
  /** Writes what is left and answers all parts and pages, in order. */
  close(): Promise<{ readonly parts: readonly Part[]; readonly pages: readonly ManifestPage[] }>;
}

/** A part that fills. */
interface OpenPart {
  readonly number: number;
  readonly lines: string[];
  readonly pages: ManifestPage[];
  size: number;
}

/**
 * Writes a generation's lines as compressed NDJSON parts, `snippets-<attempt>-<n>`, and beside each the pages that are in
 * it, `pages-<attempt>-<n>`: the checkpoint of a broken attempt. One part is compressed and stored while the next fills.
 * The attempt's name keeps two attempts from ever writing the same key.
 */
export function createPartWriter(blobs: BlobStore, generation: string, attempt: string): PartWriter {
  const parts: Part[] = [];
  const pages: ManifestPage[] = [];
  let filling = openPart(0);
  let storing: Promise<void> = Promise.resolve();

  const store = async ({ number, lines, pages: held }: OpenPart): Promise<void> => {
    const key = partKey(generation, attempt, number);
    const bytes = await compress(toNdjson(lines));
    await blobs.put(key, bytes);
    parts.push({ key, sha256: sha256(bytes), lines: lines.length, bytes: bytes.length });
    await blobs.put(pagesKey(key), await compress(toNdjson(held.map((page) => JSON.stringify(page)))));
  };
  const flush = async (): Promise<void> => {
    if (filling.lines.length === 0) return;
    const full = filling;
    filling = openPart(full.number + 1);
    await storing;
    storing = store(full);
    // Awaited by the next flush or by close; this keeps a failure until then from counting as unhandled.
    storing.catch(() => {});
  };

  return {
    async write(page, lines) {
      const { number, lines: before } = filling;
      const placed = page.key === undefined ? page : { ...page, place: [number, before.length, lines.length] as const };
      pages.push(placed);
      filling.pages.push(placed);
      for (const line of lines) {
        before.push(line);
        filling.size += Buffer.byteLength(line) + 1;
      }
      if (filling.size >= partSize) await flush();
    },
    async close() {
      await flush();
      await storing;
      return { parts, pages };
    },
  };
}

function openPart(number: number): OpenPart {
  return { number, lines: [], pages: [], size: 0 };
}

/** The key of the pages that are in a part. */
function pagesKey(part: string): string {
  return part.replace("/snippets-", "/pages-");
}

/** The key of the part whose pages these are; undefined where the key is another's. */
export function partOfPages(key: string): string | undefined {
  return key.includes("/pages-") ? key.replace("/pages-", "/snippets-") : undefined;
}

function partKey(generation: string, attempt: string, number: number): string {
  return `${generationPrefix(generation)}snippets-${attempt}-${String(number).padStart(5, "0")}.ndjson.zst`;
}

/** A part as it is stored, checked against its hash. @throws Failure generation_damaged if it is missing or the hash differs */
export async function checkPart(blobs: BlobStore, part: Pick<Part, "key" | "sha256">): Promise<Uint8Array> {
  const bytes = await blobs.get(part.key);
  if (!bytes) throw damaged(`The part ${part.key} is missing`);
  if (sha256(bytes) !== part.sha256) throw damaged(`The part ${part.key} is damaged`);
  return bytes;
}

/** A part as it was written. @throws Failure generation_damaged if it is missing or the hash differs */
export async function readPart(blobs: BlobStore, part: Pick<Part, "key" | "sha256">): Promise<Buffer> {
  return decompressAll(await checkPart(blobs, part));
}

/** The lines of a part. @throws Failure generation_damaged if it is missing or the hash differs */
export async function readPartLines(blobs: BlobStore, part: Pick<Part, "key" | "sha256">): Promise<readonly string[]> {
  return linesOf(await readPart(blobs, part));
}

/** The lines of a part that no manifest vouches for; undefined where it is damaged. */
export async function readLooseLines(blobs: BlobStore, key: string): Promise<readonly string[] | undefined> {
  const bytes = await blobs.get(key);
  return bytes && decompressAll(bytes).then(linesOf, () => undefined);
}

/** Writes the manifest: from now on the generation exists. */
export async function writeManifest(blobs: BlobStore, manifest: Manifest): Promise<void> {
  await blobs.put(manifestKey(manifest.generation), await compress(JSON.stringify(manifest)));
}

/** The manifest of a generation that must have one. @throws Failure generation_damaged if it is missing or damaged */
export async function manifestOf(blobs: BlobStore, generation: string): Promise<Manifest> {
  const bytes = await blobs.get(manifestKey(generation));
  const name = `The manifest of the generation ${generation}`;
  if (!bytes) throw damaged(`${name} is missing`);
  try {
    return JSON.parse((await decompressAll(bytes)).toString("utf8")) as Manifest;
  } catch (cause) {
    throw damaged(`${name} is damaged`, cause);
  }
}

/** The manifest of a generation; undefined if it is missing or damaged. */
export async function readManifest(blobs: BlobStore, generation: string): Promise<Manifest | undefined> {
  return unlessDamaged(manifestOf(blobs, generation));
}

/** What is read; undefined if it is missing or damaged. Other failures are thrown. */
export async function unlessDamaged<T>(reading: Promise<T>): Promise<T | undefined> {
  return (await damageIn(reading)) === undefined ? reading : undefined;
}

/** The error message if what is read is missing or damaged, else undefined. Other failures are thrown. */
export async function damageIn(reading: Promise<unknown>): Promise<string | undefined> {
  try {
    await reading;
    return undefined;
  } catch (error) {
    if (error instanceof Failure && error.code === "generation_damaged") return error.message;
    throw error;
  }
}

/**
 * The content hash of a generation: that of its snippets, and of what the library says of itself where it says
 * anything, so that a change of nothing else is a change.
 */
export function hashContent(snippets: string, settings: LibrarySettings | undefined): string {
  if (settings === undefined) return snippets;
  const { title, description, rules, versions } = settings;
  const offered = versions?.map(({ ref, kind, title: name }) => [ref, kind, name]);
  return hash("sha256", snippets + JSON.stringify([title, description, rules, offered]), "hex");
}

function manifestKey(generation: string): string {
  return `${generationPrefix(generation)}manifest.json.zst`;
}

/** Quick rather than small: level 1; with a checksum, so that damage is detected. */
function compress(content: string | Uint8Array): Promise<Buffer> {
  const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
  return zstd(content, { params });
}

function decompressAll(bytes: Uint8Array): Promise<Buffer> {
  return decompress(bytes, { maxOutputLength: maxPart });
}

function linesOf(part: Buffer): readonly string[] {
  return part.toString("utf8").split("\n").slice(0, -1);
}

function toNdjson(lines: readonly string[]): Uint8Array {
  return Buffer.from(lines.map((line) => `${line}\n`).join(""));
}

function sha256(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}

function damaged(how: string, cause?: unknown): Failure {
  const message = `${how}. Refresh the library to rebuild it.`;
  return new Failure("generation_damaged", message, { cause });
}
