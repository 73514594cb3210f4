import { createHash } from "node:crypto";
import { lstat, realpath } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { z } from "zod";
import { Failure } from "../../domain/failures.ts";
import type { Source } from "../../domain/ports.ts";
import type { FolderSourceSpec } from "../../domain/kinds/index.ts";
import { documentExtensions } from "../../extract/formats.ts";
import { isMissing, readOrHash } from "../lib/disk/read-file.ts";
import { context7Path } from "../lib/tree/context7-file.ts";
import { hashTreeDescriptions } from "../lib/descriptions/in-tree.ts";
import { chooseTreeFiles, readManifestsOf } from "../lib/tree/read-tree.ts";
import { selectionSchema, type SourceReader, type SourceTools } from "../source-reader.ts";
import {
  chosenOf,
  descriptionsOf,
  maxIncludingBytes,
  openFolder,
  readFolder,
  manifestReaderFor,
  type OpenFolder,
} from "../lib/disk/open-folder.ts";

/** Dependencies and settings of the folder source. */
export interface FolderSourceOptions extends Pick<SourceTools, "extensions" | "pool"> {
  /** Folders that may be read, with their subfolders. */
  readonly roots: readonly string[];
}

/** Creates the source that reads documents from folders on the server's own disk, inside `roots`. */
export function createFolderSource({ roots, extensions, pool }: FolderSourceOptions): Source<FolderSourceSpec> {
  const open = async ({ path, selection }: FolderSourceSpec, signal: AbortSignal): Promise<OpenFolder> => {
    const root = await folderInRoots(path, roots);
    // The same message in both cases, so that it reveals nothing about folders outside the roots.
    if (root === undefined)
      throw new Failure("source_not_found", "There is no such folder inside FOLDER_ROOTS. Check its path.");
    const rules = { selection, skipVersionFiltering: false, extensions, within: basename(root) };
    return openFolder({ root, noun: "folder", rules }, signal);
  };

  return {
    kind: "folder",

    async resolve(spec, _ref, { signal }) {
      const opened = await open(spec, signal);
      const { root, file, tree } = opened;
      const chosen = await chooseTreeFiles({ ...opened, ...descriptionsOf(opened) }, opened.rules, { pool, signal });
      const hash = createHash("sha256");
      if (file) hash.update(`${context7Path}\0${JSON.stringify(file)}\n`);
      for (const { path, isLink } of chosenOf(opened, { documents: [...chosen.documents, ...chosen.sources] })) {
        const content = isLink ? undefined : await readOrHash(join(root, path), maxIncludingBytes, signal);
        hash.update(`${path}\0${content?.fingerprint ?? "-"}\n`);
        // Included files are part of the content.
        for (const file of await tree.includesOf(path, content?.bytes ?? null)) {
          hash.update(`  ${file.path}\0${file.fingerprint}\n`);
        }
      }
      for (const line of await hashTreeDescriptions(chosen.descriptions, descriptionsOf(opened), pool, signal))
        hash.update(`${line}\n`);
      const threads = { pool, signal };
      const stated = await readManifestsOf(
        { ...opened, readManifests: manifestReaderFor(root) },
        opened.rules,
        threads,
      );
      for (const { name, manifest, description = "" } of stated.claims)
        hash.update(`${name}\0${manifest}\0${description}\n`);
      if (stated.licences) hash.update(`${JSON.stringify(stated.licences)}\n`);
      return { revision: `sha256-${hash.digest("hex").slice(0, 40)}`, ref: null, location: root, refs: [] };
    },

    async *read(spec, _state, context) {
      const opened = await open(spec, context.signal);
      yield* readFolder(opened, pool, context);
    },
  };
}

/** The reader of folders. */
export const folderReader: SourceReader<FolderSourceSpec> = {
  spec: z.object({ kind: z.literal("folder"), path: z.string(), selection: selectionSchema }),
  create: ({ folderRoots: roots, pool }) => createFolderSource({ roots, extensions: documentExtensions, pool }),
};

/** The real path of a folder that is inside one of the roots, following links; undefined: it is not, or does not exist. */
export async function folderInRoots(path: string, roots: readonly string[]): Promise<string | undefined> {
  const [folder, ...allowed] = await Promise.all([path, ...roots].map(realFolder));
  const isAllowed = folder !== undefined && allowed.some((root) => root !== undefined && isInside(folder, root));
  return isAllowed ? folder : undefined;
}

async function realFolder(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await lstat(real)).isDirectory() ? real : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
