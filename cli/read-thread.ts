import { createPageStore } from "../activities/outline.ts";
import { readManifest } from "../activities/parts.ts";
import { computeAnswer, type Computation, type Computed } from "../api/answer/compose.ts";
import { cachedFromManifest } from "../api/manifest-cache.ts";
import { Failure } from "../domain/failures.ts";
import type { Unread } from "../domain/generation.ts";
import { toLanguage } from "../extract/language.ts";
import { ranker } from "../search/ranking/ranker.ts";
import { createSqlitePassageIndex } from "../search/sqlite/passage-index.ts";
import { createFolderBlobStore } from "../stores/blobs/folder.ts";

/** A question, and the folders of the index and the generations. */
export interface ReadTask {
  readonly index: string;
  readonly blobs: string;
  readonly computation: Computation;
}

let ports: ReturnType<typeof openPorts> | undefined;

/** Computes an answer on a thread, with files and caches of its own. @throws Failure index_rebuilding if a file is missing or damaged */
export function compute({ index, blobs, computation }: ReadTask): Promise<Computed> {
  // A pool has one data folder.
  ports ??= openPorts(index, blobs);
  return computeAnswer(ports, computation);
}

function openPorts(index: string, folder: string) {
  const blobs = createFolderBlobStore({ folder });
  const manifest = (generation: string) => readManifest(blobs, generation);
  return {
    passages: createSqlitePassageIndex({ folder: index }),
    pages: createPageStore(blobs),
    ranker,
    toLanguage,
    unreadOf: cachedFromManifest<Unread | undefined>({ manifest }, ({ unread }) => unread, undefined),
    // Only the main thread has the catalog.
    restore: () => Promise.reject(new Failure("index_rebuilding", "The outline of this generation is missing.")),
  };
}
