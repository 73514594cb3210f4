import {
  CancellationScope,
  isCancellation,
  setCurrentDetails,
  setWorkflowOptions,
  upsertMemo,
  upsertSearchAttributes,
} from "@temporalio/workflow";
import { runIndexing } from "../domain/indexing.ts";
import { showLibrary } from "../domain/library.ts";
import type { Conclusion, IndexingRequest, IndexingSteps, Phase } from "../domain/steps.ts";
import { toRunCancellation, toRunFailure, createSteps } from "./step-retries.ts";
import { searchAttributes, type RunMemo } from "./names.ts";

// An unexpected error fails the run; by default the workflow task would be retried for ever.
setWorkflowOptions({ failureExceptionTypes: [Error] }, indexLibrary);

/** Indexes one version of a library. The workflow ID is derived from the library, so that it has one open run at most. */
export async function indexLibrary(request: IndexingRequest): Promise<Conclusion> {
  const shown = createShown(request);
  const cancelled = (error: unknown): boolean =>
    isCancellation(error) || CancellationScope.current().consideredCancelled;
  try {
    return await runIndexing(shown.watch(createSteps()), request, shown.enter, cancelled);
  } catch (error) {
    throw cancelled(error) ? toRunCancellation(error) : toRunFailure(error);
  }
}

/** The display of a run in the Web UI, during the run and after it. */
function createShown(request: IndexingRequest) {
  let shown: Partial<RunMemo> = {};
  const show = (changes: Partial<RunMemo>): void => {
    shown = { ...shown, ...changes };
    setCurrentDetails(toMarkdown(request, shown));
  };
  /** Each call is an event of the history: only for changes of the phase. */
  const keep = (state: string): void => {
    upsertMemo({ ...shown });
    upsertSearchAttributes([{ key: searchAttributes.state, value: state }]);
  };
  return {
    enter(phase: Phase): void {
      show({ phase });
      keep(phase);
    },
    /** The same steps, with their results shown. */
    watch: (steps: IndexingSteps): IndexingSteps => ({
      ...steps,
      async resolve(input) {
        const resolved = await steps.resolve(input);
        show({ revision: resolved.revision });
        return resolved;
      },
      async collect(input) {
        const collected = await steps.collect(input);
        const { pages, pagesFailed, code, info } = collected.counts;
        show({ counts: { pages, pagesFailed, code, info } });
        return collected;
      },
      conclude(input) {
        const { outcome, failure } = input.conclusion;
        show({ outcome, ...(failure && { failure: failure.code }) });
        keep(outcome);
        return steps.conclude(input);
      },
    }),
  };
}

function toMarkdown({ libraryId, version, runId, reason }: IndexingRequest, shown: Partial<RunMemo>): string {
  const { phase, revision, counts, outcome, failure } = shown;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["state", outcome === undefined ? phase : failure === undefined ? outcome : `${outcome}: ${failure}`],
    ["ended in", outcome === undefined ? undefined : phase],
    ["revision", revision],
    ["pages", counts && `${counts.pages} read, ${counts.pagesFailed} failed`],
    ["snippets", counts && `${counts.code} code, ${counts.info} info`],
    ["started for", reason],
    ["run", runId],
  ];
  const lines = rows.flatMap(([name, value]) => (value === undefined ? [] : [`| ${name} | ${value} |`]));
  return [`### ${showLibrary(libraryId, version)}`, "", "| | |", "|---|---|", ...lines].join("\n");
}
