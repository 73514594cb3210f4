import { join } from "node:path";
import type { Computation, Computed } from "../api/answer/compose.ts";
import { Failure } from "../domain/failures.ts";
import { createThreadPool, TaskTimeout, ThreadEnded } from "../sources/lib/threads/thread-pool.ts";
import { parseBlobUrl } from "../stores/blobs/url.ts";
import type { Config } from "./config.ts";
import type { ReadTask } from "./read-thread.ts";

const task = { module: new URL("read-thread.ts", import.meta.url), name: "compute" };

/** Time without a read after which a thread ends, in milliseconds: the next one fills its caches again. */
const idleTimeout = 600_000;

/**
 * Threads that compute answers from the files of a data folder, by the settings; undefined without any: also if index or generations are on
 * servers, where waiting takes most of the time, or questions are embedded by one. `threadMemory` is the heap of a thread, in MB.
 */
export function openReadThreads(config: Config, dataFolder: string | null, { threadMemory = 512 } = {}) {
  const { readThreads: maxThreads, meiliUrl, embeddingsUrl, blobUrl, readTimeoutSeconds } = config;
  const location = blobUrl === null ? null : parseBlobUrl(blobUrl);
  const isElsewhere = meiliUrl !== null || embeddingsUrl !== null || location?.kind === "bucket";
  if (maxThreads === 0 || isElsewhere || dataFolder === null) return undefined;
  const pool = createThreadPool({ maxThreads, threadMemory, idleTimeout });
  const index = join(dataFolder, "index");
  const blobs = location?.folder ?? join(dataFolder, "blobs");
  return {
    /** Clients share the threads fairly. @throws Failure as `computeAnswer`, and service_unavailable if the thread ends */
    async compute(computation: Computation, client: string): Promise<Computed> {
      try {
        const options = { group: client, maxCpu: readTimeoutSeconds * 1000 };
        return await pool.run<ReadTask, Computed>(task, { index, blobs, computation }, options);
      } catch (cause) {
        const hasEnded = cause instanceof ThreadEnded || cause instanceof TaskTimeout || isOutOfMemory(cause);
        if (!hasEnded) throw cause;
        const message = "The thread that computed the answer was ended. Try again in a moment.";
        throw new Failure("service_unavailable", message, { cause });
      }
    },
    close: () => pool.close(),
  };
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}
