import type { Catalog, RunRecord, StepControl } from "../../domain/ports.ts";
import type { SourceSpec } from "../../domain/kinds/index.ts";
import { stepPolicies, type IndexingSteps, type RunReason, type StepName } from "../../domain/steps.ts";
import { wholeTree } from "../support/git-spec.ts";

/** What steps do in a test; by default each does its part of a run that publishes one passage. */
export type Script = {
  [Name in StepName]?: (context: StepControl, input: Parameters<IndexingSteps[Name]>[0]) => Promise<unknown>;
};

/** Figures of a page with one passage. */
export const sampleCounts = {
  pages: 1,
  pagesSkipped: 0,
  pagesFailed: 0,
  code: 1,
  info: 0,
  quarantined: 0,
  duplicates: 0,
  tokens: 9,
  bytes: 99,
};

/** Steps that follow the script; `onCall` gets each call. */
export function scriptedActivities(
  catalog: Catalog,
  script: Script,
  onCall: (name: StepName, libraryId: string) => void = () => {},
): (step: () => StepControl) => IndexingSteps {
  const plain: Required<Script> = {
    resolve: async () => ({ unchanged: false, revision: "c1", ref: null, location: "", live: null }),
    collect: async (_, { request }) => ({
      generation: request.runId,
      contentHash: "h",
      revision: "c1",
      counts: sampleCounts,
    }),
    render: () => Promise.reject(new Error("No page needs a browser.")),
    assess: async () => ({ verdict: "publish" }),
    load: async () => ({ snippets: 1 }),
    publish: async () => ({ published: true }),
    announce: async () => undefined,
    retire: async () => undefined,
    conclude: (_, { request, conclusion }) => catalog.runs.close(request.runId, conclusion, Date.now()),
  };
  const steps = { ...plain, ...script };
  return (step) =>
    Object.fromEntries(
      (Object.keys(stepPolicies) as StepName[]).map((name) => [
        name,
        (input: { request: { libraryId: string } }) => {
          onCall(name, input.request.libraryId);
          return (steps[name] as (context: StepControl, given: unknown) => Promise<unknown>)(step(), input);
        },
      ]),
    ) as unknown as IndexingSteps;
}

/** A step that goes on until it is aborted. */
export function untilStopped(context: StepControl): Promise<never> {
  return new Promise((_, reject) => {
    if (context.signal.aborted) reject(context.signal.reason as Error);
    context.signal.addEventListener("abort", () => reject(context.signal.reason as Error));
  });
}

/** Counts for the whole process, so that ids sort in order of creation. */
let made = 0;

/** Adds a library, by default of a folder, with its first run open. */
export async function openFirstRun(
  catalog: Catalog,
  id: string,
  reason: RunReason = "submit",
  source: SourceSpec = { kind: "folder", path: `/docs${id}`, selection: wholeTree },
): Promise<RunRecord> {
  made += 1;
  const library = {
    uid: `uid-${made}-${id.replaceAll("/", "-")}`,
    teamspace: "",
    id,
    title: id,
    description: "",
    source,
    credential: null,
    redirect: null,
    submittedBy: { keyId: "admin", teamspace: "default" },
    pendingRename: null,
    refusedRenames: [],
    claims: [],
    upload: null,
    trust: null,
    createdAt: Date.now(),
  } as const;
  const runId = `run-${made}${id.replaceAll("/", "-")}`;
  const create = (replaces?: string) =>
    catalog.libraries.create(
      library,
      null,
      { runId, reason, priority: 10 },
      replaces === undefined ? {} : { replaces },
    );
  let result = await create();
  // A redirect is replaced by the library that is added under its ID.
  if ("exists" in result && result.exists.redirect !== null) result = await create(result.exists.uid);
  if ("exists" in result) throw new Error(`${id} exists`);
  return result.created.run;
}

/** Waits until the run is closed. */
export async function closedRun(catalog: Catalog, runId: string): Promise<RunRecord> {
  for (;;) {
    const run = await catalog.runs.get(runId);
    if (run?.state === "closed") return run;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
