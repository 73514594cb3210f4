import { toFailureRecord, Failure } from "./failures.ts";
import type { Conclusion, IndexingRequest, IndexingSteps, Phase, Resolved, Verdict } from "./steps.ts";
import { servedPassages, type Counts, type PageOutcome } from "./generation.ts";

/**
 * How a library gets indexed. Every engine runs this function: it decides, the steps do the work. It is deterministic and has
 * no side effects, so that it can be replayed from the recorded results of its steps.
 *
 * `enter` is called with each phase; `cancelled` says whether an error means that the engine cancelled the run.
 * An error that ends a run is recorded by `conclude` and thrown again.
 */
export async function runIndexing(
  steps: IndexingSteps,
  request: IndexingRequest,
  enter: (phase: Phase) => void,
  cancelled: (error: unknown) => boolean,
): Promise<Conclusion> {
  try {
    const conclusion = await indexOnce(steps, request, enter);
    await steps.conclude({ request, conclusion });
    return conclusion;
  } catch (error) {
    const conclusion: Conclusion = cancelled(error)
      ? cancellationOf(request)
      : { outcome: "failed", failure: toFailureRecord(error) };
    await steps.conclude({ request, conclusion });
    throw error;
  }
}

/** The conclusion of a cancelled run. */
export function cancellationOf({ libraryId }: Pick<IndexingRequest, "libraryId">): Conclusion {
  const message = `Indexing of ${libraryId} was cancelled. Refresh it to index it.`;
  return { outcome: "cancelled", failure: { code: "run_cancelled", message } };
}

async function indexOnce(
  steps: IndexingSteps,
  request: IndexingRequest,
  enter: (phase: Phase) => void,
): Promise<Conclusion> {
  enter("resolving");
  const resolved = await steps.resolve({ request });
  const { live } = resolved;
  let { revision } = resolved;
  let { generation } = request;

  if (generation === undefined) {
    if (resolved.unchanged) return unchanged(steps, request, enter, resolved, revision);
    enter("collecting");
    let collected = await steps.collect({ request, resolved });
    if (collected.unrendered) collected = await steps.render({ request, resolved });
    if (revision === "") ({ revision } = collected);
    if (collected.refused || (collected.contentHash === live?.contentHash && !collected.heals))
      return unchanged(steps, request, enter, resolved, revision);
    enter("assessing");
    const { verdict } = await steps.assess({ request, resolved, collected });
    if (verdict === "hold") return { outcome: "held", revision };
    ({ generation } = collected);
  }

  enter("loading");
  await steps.load({ request, generation });
  enter("publishing");
  const { published } = await steps.publish({ request, generation, live: live?.generation ?? null });
  if (!published) return { outcome: "superseded", revision };
  enter("announcing");
  await steps.announce({ request });
  enter("retiring");
  await steps.retire({ request });
  return { outcome: "published", revision };
}

async function unchanged(
  steps: IndexingSteps,
  request: IndexingRequest,
  enter: (phase: Phase) => void,
  { live, unindexed }: Resolved,
  revision: string,
): Promise<Conclusion> {
  if (live && unindexed === true) {
    enter("loading");
    await steps.load({ request, generation: live.generation });
  }
  enter("announcing");
  await steps.announce({ request });
  return { outcome: "unchanged", revision };
}

interface Limits {
  /** Maximum estimated tokens of a library version. */
  readonly tokens: number;
  /** Share of lost passages, or of newly failed pages, above which a refresh is held, 0 to 1. */
  readonly shrink: number;
}

/** A refresh with fewer lost passages, or newly failed pages, is never held. */
const leastLoss = 20;

/** Why nothing of a source was read. */
interface Unread {
  readonly reason?: ReturnType<typeof reasonOfNothing>;
  /** Where more documentation may be. */
  readonly elsewhere?: string;
}

/** Why none of these pages was read: that of a refused one, or of the first if all have the same code; undefined otherwise. */
export function reasonOfNothing(
  pages: readonly PageOutcome[],
): { readonly text: string; readonly isRefused: boolean } | undefined {
  const refused = pages.find(({ outcome, code }) => outcome === "failed" && code === "source_refused");
  if (refused?.reason !== undefined) return { text: refused.reason, isRefused: true };
  const [first] = pages;
  if (first?.reason === undefined || pages.some(({ code }) => code !== first.code)) return undefined;
  const all = `Each of its ${pages.length} pages was left out, the first for this reason: ${first.reason}`;
  return { text: pages.length === 1 ? first.reason : all, isRefused: false };
}

/**
 * Decides whether a collected generation is published or held. `live` are the figures of the live one, if it is comparable: made
 * with equal options by the same extractor. `unread` is why nothing was read, and a sentence on where more documentation
 * may be.
 * @throws Failure library_too_large, source_refused, no_code_found or no_snippets_found
 */
export function assess(
  name: string,
  counts: Counts,
  live: Counts | undefined,
  limits: Limits,
  { reason, elsewhere = "" }: Unread = {},
): Verdict {
  const served = servedPassages(counts);
  if (counts.tokens > limits.tokens) {
    const message = `${name} has ${counts.tokens} tokens of documentation, more than the ${limits.tokens} allowed. Index fewer folders, or raise MAX_TOKENS.`;
    throw new Failure("library_too_large", message);
  }
  const before = live ? servedPassages(live) : 0;
  const lost = before - served;
  if (lost >= leastLoss && lost > before * limits.shrink) {
    return { verdict: "hold", reason: `${lost} of ${before} passages would be lost.` };
  }
  const failing = counts.pagesFailed - (live?.pagesFailed ?? counts.pagesFailed);
  const pages = counts.pages + counts.pagesFailed;
  if (failing >= leastLoss && failing > pages * limits.shrink) {
    return { verdict: "hold", reason: `${failing} of ${pages} pages cannot be read any more.` };
  }
  if (served > 0) return { verdict: "publish" };
  const hint = elsewhere === "" ? "" : ` ${elsewhere}`;
  if (reason?.isRefused === true)
    throw new Failure("source_refused", `Nothing of ${name} could be read. ${reason.text}${hint}`);
  const why = reason ? ` ${reason.text}${hint}` : hint;
  if (counts.pages + counts.pagesSkipped > 0) {
    const message = `The documents of ${name} hold nothing that could be indexed. See /api/v2/libs/status/pages for each page.${why}`;
    throw new Failure("no_code_found", message);
  }
  const message = `No documents were found in ${name}.${reason ? "" : " Check its address, branch and folders."}${why}`;
  throw new Failure("no_snippets_found", message);
}
