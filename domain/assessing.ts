import { Failure } from "./failures.ts";
import { servedPassages } from "./generation.ts";
import type { Counts } from "./generation.ts";
import type { Verdict } from "./steps.ts";

/** What a generation is held against. */
export interface Limits {
  /** Estimated tokens of a library version at most. */
  readonly tokens: number;
  /** Share of passages whose loss, or of pages whose failure, holds a refresh, 0 to 1. */
  readonly shrink: number;
}

/** A refresh that loses fewer passages than this, or has fewer pages that fail anew, is never held. */
const lossThatMatters = 20;

/**
 * What becomes of a collected generation. `live` are the figures of the live one, where it was made with equal options
 * by the same extractor, so that a loss says something. `elsewhere` is a sentence on where more documentation may be.
 * @throws Failure library_too_large, no_code_found or no_snippets_found
 */
export function assess(
  name: string,
  counts: Counts,
  live: Counts | undefined,
  limits: Limits,
  elsewhere?: string,
): Verdict {
  const served = servedPassages(counts);
  if (counts.tokens > limits.tokens) {
    const message = `${name} has ${counts.tokens} tokens of documentation, more than the ${limits.tokens} allowed. Index fewer folders, or raise MAX_TOKENS.`;
    throw new Failure("library_too_large", message);
  }
  const before = live ? servedPassages(live) : 0;
  const lost = before - served;
  if (lost >= lossThatMatters && lost > before * limits.shrink) {
    return { verdict: "hold", reason: `${lost} of ${before} passages would be lost.` };
  }
  const failing = counts.pagesFailed - (live?.pagesFailed ?? counts.pagesFailed);
  const pages = counts.pages + counts.pagesFailed;
  if (failing >= lossThatMatters && failing > pages * limits.shrink) {
    return { verdict: "hold", reason: `${failing} of ${pages} pages cannot be read any more.` };
  }
  if (served > 0) return { verdict: "publish" };
  const hint = elsewhere === undefined ? "" : ` ${elsewhere}`;
  if (counts.pages + counts.pagesSkipped > 0) {
    const message = `The documents of ${name} hold nothing that could be indexed. See /api/v2/libs/status/pages for each page.${hint}`;
    throw new Failure("no_code_found", message);
  }
  const message = `No documents were found in ${name}. Check its address, branch and folders.${hint}`;
  throw new Failure("no_snippets_found", message);
}
