import { Failure } from "../domain/failures.ts";
import type { IncludedFile } from "../domain/ports.ts";
import { kindOf, type SourceSpec } from "../domain/kinds/index.ts";
import { edgesOf } from "../extract/boilerplate.ts";
import { summarise, type PageSummary } from "../extract/finish.ts";
import { extractPage, formatOf, formats } from "../extract/index.ts";
import type { PageResult } from "../extract/page.ts";
import { toLines, toPageLines, type FetchedText, type PageLines } from "../extract/passage-lines.ts";
import { withoutPaths } from "../extract/screened-texts.ts";
import { TaskTimeout, type ThreadPool } from "../sources/lib/threads/thread-pool.ts";

/** A page to extract, and its origin. */
export interface ParseInput {
  /** Its key: the path in a tree, or the URL. */
  readonly path: string;
  readonly mediaType: string;
  readonly url: string;
  readonly bytes: Uint8Array;
  readonly includes?: readonly IncludedFile[];
  readonly spec: SourceSpec;
  readonly revision: string;
  /** The fetched text in which lines are counted, and the line at which the page begins; absent in trees. */
  readonly resource?: FetchedText;
}

/** The result of extraction: passages, ready to be written, or the reason for skipping the page. */
export type ParsedPage =
  | ({
      readonly outcome: "indexed";
      readonly summary: PageSummary;
      readonly notes?: readonly string[];
    } & PageLines)
  | Extract<PageResult, { outcome: "skipped" }>;

/** Default processor time of a small page, in milliseconds: a thousand times the usual. MAX_PAGE_SECONDS sets another. */
const usualBudget = 5000;

/** Maximum processor time of a page, in milliseconds; `usual` is that of a small one. */
function budgetOf({ mediaType, bytes, includes = [] }: ParseInput, usual: number): number {
  const size = includes.reduce((sum, file) => sum + (file.bytes?.length ?? 0), bytes.length);
  return usual * (formats.get(mediaType)?.budget(size) ?? 1);
}

/** The location of `parsePage`, for threads to load it. */
const pageParsing = { module: new URL(import.meta.url), name: "parsePage" };

/**
 * Extracts one page on a thread. Pages with the same signal share threads fairly with others. Bytes are copied synchronously.
 * @throws Failure page_too_costly if the page exceeds a thread's memory or time, internal_error for a bug of the extraction
 */
export async function parseOnThread(
  pool: ThreadPool,
  input: ParseInput,
  signal?: AbortSignal,
  usual = usualBudget,
): Promise<ParsedPage> {
  const includes = (input.includes ?? []).map((file) => ({ ...file, bytes: file.bytes && new Uint8Array(file.bytes) }));
  const copy = { ...input, bytes: new Uint8Array(input.bytes), includes };
  const transfer = [copy, ...includes].flatMap(({ bytes }) => (bytes === null ? [] : [bytes.buffer]));
  try {
    return await pool.run(pageParsing, copy, { signal, transfer, maxCpu: budgetOf(input, usual), group: signal });
  } catch (error) {
    if (signal?.aborted === true || error instanceof Failure) throw error;
    throw toFailure(error, input.path);
  }
}

function toFailure(error: unknown, path: string): Failure {
  if (error instanceof TaskTimeout)
    return new Failure("page_too_costly", `${path} is too slow to read. Split the page, or exclude it.`);
  if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") {
    const message = `${path} needs too much memory to parse. Split the page, or exclude it.`;
    return new Failure("page_too_costly", message);
  }
  const reason = withoutPaths(error instanceof Error ? error.message : String(error));
  return new Failure("internal_error", `Extraction from ${path} failed: ${reason}`, { cause: error });
}

/** Extracts one page. */
export async function parsePage(input: ParseInput): Promise<ParsedPage> {
  const files = new Map<string, Uint8Array | string>();
  for (const { path, bytes, reason } of input.includes ?? []) {
    const content = bytes ?? reason;
    if (content !== undefined) files.set(path, content);
  }
  const { path, mediaType, bytes, spec, url } = input;
  const exclude = kindOf(spec).unwanted?.(spec) ?? [];
  const page = { path, mediaType, bytes, files, exclude, url };
  const result = extractPage(page, await formatOf(mediaType, page));
  if (result.outcome === "skipped") return result;
  return {
    outcome: "indexed",
    ...(result.notes && { notes: result.notes }),
    summary: summarise(input.path, result),
    ...toPageLines(toLines(input, result, input)),
    ...edgesOf(spec, result.passages),
  };
}
