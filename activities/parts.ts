import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, gunzip, gzip } from "node:zlib";
import { Failure } from "../domain/failures.ts";
import type { BlobStore } from "../domain/ports.ts";
import type { Manifest, Part } from "../domain/snippet.ts";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Uncompressed size at which a part is closed, in characters. */
const partSize = 4_000_000;

/** No part and no manifest is larger than this uncompressed, in bytes: one line is one page or snippet at most. */
const largestPart = 512_000_000;

/** Where everything of a generation lies; the key ends in `/`. */
export function generationPrefix(generation: string): string {
  return `generations/${generation}/`;
}

export interface PartWriter {
  /** Adds a line, without its line end. Resolves when there is room for the next. */
  write(line: string): Promise<void>;
  /** Writes what is left and answers all parts, in order. */
  close(): Promise<readonly Part[]>;
}

/**
 * Writes lines as compressed NDJSON parts `<prefix><n>.ndjson.gz`. One part is compressed and stored while the next
 * fills. The prefix must be the attempt's own, so that two attempts never write the same key.
 */
export function createPartWriter(blobs: BlobStore, prefix: string): PartWriter {
  const parts: Part[] = [];
  let lines: string[] = [];
  let size = 0;
  let storing: Promise<void> = Promise.resolve();

  const store = async (full: readonly string[]): Promise<void> => {
    const key = `${prefix}${String(parts.length).padStart(5, "0")}.ndjson.gz`;
    const bytes = await compress(`${full.join("\n")}\n`, { level: constants.Z_BEST_SPEED });
    await blobs.put(key, bytes);
    parts.push({ key, sha256: sha256(bytes), lines: full.length, bytes: bytes.length });
  };
  const flush = async (): Promise<void> => {
    if (lines.length === 0) return;
    const full = lines;
    lines = [];
    size = 0;
    await storing;
    storing = store(full);
    // Awaited by the next flush or by close; this keeps a failure until then from counting as unhandled.
    storing.catch(() => {});
  };

  return {
    async write(line) {
      lines.push(line);
      size += line.length;
      if (size >= partSize) await flush();
    },
    async close() {
      await flush();
      await storing;
      return parts;
    },
  };
}

/** The lines of a part, checked against its hash. @throws Failure internal_error where the part is gone or damaged */
export async function readPart(blobs: BlobStore, part: Pick<Part, "key" | "sha256">): Promise<readonly string[]> {
  const bytes = await blobs.get(part.key);
  if (!bytes) throw damaged(part.key, "is missing");
  if (sha256(bytes) !== part.sha256) throw damaged(part.key, "is not what was written");
  return readLines(bytes);
}

/** The lines of a part that no manifest vouches for; undefined where it is damaged. */
export async function readLooseLines(blobs: BlobStore, key: string): Promise<readonly string[] | undefined> {
  const bytes = await blobs.get(key);
  return bytes && readLines(bytes).catch(() => undefined);
}

/** Writes the manifest: from now on the generation exists. */
export async function writeManifest(blobs: BlobStore, manifest: Manifest): Promise<void> {
  await blobs.put(
    manifestKey(manifest.generation),
    await compress(JSON.stringify(manifest), { level: constants.Z_BEST_SPEED }),
  );
}

/** The manifest of a generation; undefined where it has none, and so is none. */
export async function readManifest(blobs: BlobStore, generation: string): Promise<Manifest | undefined> {
  const bytes = await blobs.get(manifestKey(generation));
  if (!bytes) return undefined;
  const text = await decompress(bytes, { maxOutputLength: largestPart });
  return JSON.parse(text.toString("utf8")) as Manifest;
}

function manifestKey(generation: string): string {
  return `${generationPrefix(generation)}manifest.json.gz`;
}

async function readLines(bytes: Uint8Array): Promise<readonly string[]> {
  const text = (await decompress(bytes, { maxOutputLength: largestPart })).toString("utf8");
  return text === "" ? [] : text.slice(0, -1).split("\n");
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function damaged(key: string, how: string): Failure {
  return new Failure("internal_error", `The part ${key} ${how}. Refresh the library to make its generation again.`);
}
