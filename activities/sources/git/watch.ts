import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../../domain/failures.ts";
import { repositoryName } from "./failures.ts";
import type { GitProcess } from "./process.ts";

/** What a fetch is held to. */
export interface FetchLimits {
  /** Longest time without progress of any kind, in milliseconds. */
  readonly idleTimeout: number;
  /** Cap on what is downloaded, in bytes on disk. */
  readonly maxDownload: number;
}

/**
 * Fetches with a git program: ends it when it neither says nor receives anything, and when it receives too much.
 * @throws Failure source_unreachable or library_too_large; GitExit; the signal's reason
 */
export async function superviseFetch(
  git: GitProcess,
  packs: string,
  url: URL,
  { idleTimeout, maxDownload }: FetchLimits,
): Promise<readonly string[]> {
  const measure = async (): Promise<number> => {
    const bytes = await sizeOf(packs);
    if (bytes <= maxDownload) return bytes;
    throw new Failure(
      "library_too_large",
      `${repositoryName(url)} sends more than ${maxDownload} bytes for one commit.`,
    );
  };
  let last = { mark: -1, at: Date.now() };
  const look = async (): Promise<void> => {
    const mark = (await measure()) + git.noise();
    if (mark !== last.mark) last = { mark, at: Date.now() };
    else if (Date.now() - last.at > idleTimeout)
      throw new Failure("source_unreachable", `${repositoryName(url)} stopped answering. Try again later.`);
  };
  const timer = setInterval(
    () => void look().catch((error: unknown) => git.stop(error)),
    Math.min(500, idleTimeout / 4),
  );
  try {
    const { lines } = await git.done();
    await measure();
    return lines;
  } finally {
    clearInterval(timer);
  }
}

async function sizeOf(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map((name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      (error: unknown) => {
        // Temporary packs are renamed when they are whole.
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
        throw error;
      },
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
