import { createHash } from "node:crypto";
import { flagLines, toLines } from "../../../extract/passage-lines.ts";
import { parseOnThread } from "../../../activities/parse-page.ts";
import type { ParsedPage } from "../../../activities/parse-page.ts";
import { createThreadPool } from "../../../sources/lib/threads/thread-pool.ts";
import { createFinisher } from "../../../extract/finish.ts";
import { extractPage } from "../../../extract/index.ts";
import { median } from "../measure.ts";
import type { CollectedPage } from "./collect.ts";

/** CPU time a page of extraction and of the whole way to lines in this thread; wall time, and equality, with 1 and 4 threads. */
export async function printTimes(pages: readonly Pick<CollectedPage, "input">[]): Promise<void> {
  const extraction: number[] = [];
  const whole: number[] = [];
  for (let round = 0; round < 6; round++) {
    const start = process.cpuUsage().user;
    const results = pages.map(({ input }) => extractPage(input));
    const middle = process.cpuUsage().user;
    for (const [index, { input }] of pages.entries()) {
      const result = results[index];
      if (result !== undefined) toLines(input, result, input);
    }
    if (round === 0) continue;
    extraction.push((middle - start) / 1000 / pages.length);
    whole.push((process.cpuUsage().user - start) / 1000 / pages.length);
  }
  console.log(
    `\nCPU a page: ${median(extraction).toFixed(3)} ms of extraction, ${median(whole).toFixed(3)} ms to written lines`,
  );
  const hashes: string[] = [];
  for (const threads of [1, 4]) {
    const pool = createThreadPool({ maxThreads: threads });
    try {
      await Promise.all(pages.map(({ input }) => parseOnThread(pool, input)));
      const start = performance.now();
      const parsed = await Promise.all(pages.map(({ input }) => parseOnThread(pool, input)));
      const milliseconds = (performance.now() - start) / pages.length;
      hashes.push(hashOf(parsed));
      console.log(`${threads} thread${threads === 1 ? "" : "s"}: ${milliseconds.toFixed(3)} ms a page`);
    } finally {
      await pool.close();
    }
  }
  const isSame = hashes[0] === hashes[1];
  console.log(isSame ? "The same bytes with 1 and 4 threads." : "DIFFERENT bytes with 1 and 4 threads.");
}

function hashOf(pages: readonly ParsedPage[]): string {
  const finisher = createFinisher();
  const hash = createHash("sha256");
  for (const page of pages)
    if (page.outcome === "indexed") hash.update(flagLines(page.lines, finisher.take(page.summary, page.fingerprints)));
  return hash.update(finisher.finish().contentHash).digest("hex");
}
