import { mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import type { UploadSourceSpec } from "../../domain/kinds/index.ts";
import type { ReadContext, Source, SourceItem } from "../../domain/ports.ts";
import { documentExtensions, mediaTypeOf } from "../../extract/formats.ts";
import { leftOutNotes, maxUnpacking, type Unpacked } from "../lib/archive/unpack.ts";
import { openFolder, readFolder } from "../lib/disk/open-folder.ts";
import { sha256Of } from "../lib/disk/read-file.ts";
import { parseText } from "../lib/threads/thread-pool.ts";
import type { SourceReader, SourceTools } from "../source-reader.ts";
import type { UploadedArchive } from "./unpack.ts";

/** The reader of uploaded documents. */
export const uploadReader: SourceReader<UploadSourceSpec> = {
  spec: z.object({ kind: z.literal("upload"), fileName: z.string().min(1).max(255) }),
  create: createUploadSource,
};

const unpacking = { module: new URL("./unpack.ts", import.meta.url), name: "unpackUpload" };

/** An archive is read whole, except for what is never documentation. */
const everything = { folders: [], excludeFolders: null, excludeFiles: null };

/** Creates the source that reads an uploaded document, or the documents of an uploaded archive. */
function createUploadSource({ pool }: Pick<SourceTools, "pool">): Source<UploadSourceSpec> {
  return {
    kind: "upload",

    resolve: async ({ fileName }) => ({ revision: "", ref: null, location: fileName, refs: [] }),

    async *read({ fileName }, _state, context): AsyncGenerator<SourceItem> {
      const bytes = await context.upload();
      const fingerprint = sha256Of(bytes);
      context.account?.({ revision: `sha256-${fingerprint.slice(0, 40)}` });
      const mediaType = mediaTypeOf(fileName);
      if (mediaType === "") return yield* readArchive(fileName, bytes, context);
      context.pages(1);
      yield { type: "page", page: { key: fileName, url: fileName, mediaType, fingerprint }, bytes };
    },
  };

  async function* readArchive(name: string, bytes: Uint8Array, context: ReadContext): AsyncGenerator<SourceItem> {
    const { scratch, limits, signal, account } = context;
    const path = join(scratch, "archive");
    const folder = join(scratch, "upload");
    await mkdir(folder);
    await writeFile(path, bytes);
    const packed: UploadedArchive = { path, name, folder, fileBytes: limits.pageBytes, maxUnpacked: limits.bytes };
    const threads = { pool, signal };
    const leftOut = await parseText<UploadedArchive, Unpacked>(threads, unpacking, packed, name, maxUnpacking);
    const notes = leftOutNotes(leftOut);
    if (notes.length > 0) account?.({ notes });
    const root = await soleFolder(folder);
    const rules = {
      selection: everything,
      skipVersionFiltering: false,
      extensions: documentExtensions,
      within: root === folder ? withoutEnding(name) : basename(root),
    };
    const toUrl = (file: string): string => `${name}/${file}`;
    yield* readFolder(await openFolder({ root, noun: "archive", rules, toUrl }, signal), pool, context);
  }
}

/** The folder that is all that an archive has, as archives of a folder do; else the archive's root. */
async function soleFolder(root: string): Promise<string> {
  const [first, ...others] = await readdir(root, { withFileTypes: true });
  return first?.isDirectory() === true && others.length === 0 ? join(root, first.name) : root;
}

function withoutEnding(name: string): string {
  return name.replace(/(?:\.tar)?\.\w+$/, "");
}
