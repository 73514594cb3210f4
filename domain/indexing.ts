import { toFailureRecord } from "./failures.ts";
import type { Conclusion, IndexingRequest, IndexingSteps, Phase, Resolved } from "./steps.ts";

/**
 * How a library gets indexed. Every engine runs this function: it decides, the steps do. It is deterministic and
 * touches nothing itself, so that it can be replayed from the recorded results of its steps.
 *
 * `enter` is told of each phase; `cancelled` says whether an error is the engine's way of cancelling the run.
 * The error that ends a run is recorded by `conclude` and thrown again.
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

/** How a run ends that somebody cancelled. */
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
