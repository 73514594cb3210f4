import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { Failure } from "../../domain/failures.ts";
import type { RunRecord } from "../../domain/ports.ts";
import { stepPolicies } from "../../domain/steps.ts";
import { createDataConverter } from "../../workers/codec.ts";
import { libraryWorkflowId } from "../../workers/temporal-engine.ts";
import { closedRun, openFirstRun } from "../contracts/indexing-scripts.ts";
import { openTemporalRig, type TemporalRig } from "./support/temporal.ts";

const temporal = inject("temporal");

describe.skipIf(temporal === null)("a run on Temporal", () => {
  let rig: TemporalRig;
  beforeAll(async () => {
    rig = await openTemporalRig(temporal ?? "");
  });
  afterAll(() => rig.close());

  const work = async (...script: Parameters<TemporalRig["work"]>): Promise<void> => {
    onTestFinished(await rig.work(...script));
  };
  const submitted = async (id: string): Promise<RunRecord> => {
    const run = await openFirstRun(rig.catalog, id);
    await rig.engine.start(run);
    return run;
  };
  const execution = (run: RunRecord) => rig.client.workflow.getHandle(libraryWorkflowId(run));

  it("shows in the Web UI what a run is doing, how far it is, and how it ended", async () => {
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await work({
      load: async (context) => {
        context.report({ snippets: 3 });
        await held;
        return { snippets: 3 };
      },
    });
    const run = await submitted("/Shown/ToPeople");
    const handle = execution(run);
    const text = (data: Uint8Array | null | undefined): unknown =>
      data && JSON.parse(Buffer.from(data).toString("utf8"));
    await expect
      .poll(
        async () => text((await handle.describe()).raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0]?.data),
        { timeout: 20_000 },
      )
      .toEqual({ snippets: 3 });
    const { memo, typedSearchAttributes, raw, priority } = await handle.describe();
    expect(memo).toMatchObject({
      runId: run.runId,
      reason: "submit",
      source: "/docs/Shown/ToPeople",
      phase: "loading",
      revision: "c1",
      counts: { pages: 1, pagesFailed: 0, code: 1, info: 0 },
    });
    expect(Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]))).toMatchObject(
      {
        LecternLibrary: "/Shown/ToPeople",
        LecternSource: "folder",
        LecternState: "loading",
      },
    );
    expect(priority).toMatchObject({ priorityKey: 2, fairnessKey: "-" });
    expect(text(raw.executionConfig?.userMetadata?.summary?.data)).toBe("submit: /Shown/ToPeople");
    expect(raw.pendingActivities?.[0]?.activityType?.name).toBe("load");
    const { events } = await handle.fetchHistory();
    const summaries = (events ?? [])
      .filter(({ activityTaskScheduledEventAttributes }) => activityTaskScheduledEventAttributes)
      .map(({ userMetadata }) => text(userMetadata?.summary?.data));
    expect(summaries).toEqual([
      stepPolicies.resolve.summary,
      stepPolicies.collect.summary,
      stepPolicies.assess.summary,
      stepPolicies.load.summary,
    ]);
    const details = await handle.query<{ currentDetails?: string }, []>("__temporal_workflow_metadata");
    expect(details.currentDetails).toContain("### /Shown/ToPeople");
    expect(details.currentDetails).toContain("| state | loading |");
    expect(details.currentDetails).toContain("| snippets | 1 code, 0 info |");

    goOn();
    await closedRun(rig.catalog, run.runId);
    await handle.result();
    expect((await handle.describe()).memo).toMatchObject({ phase: "retiring", outcome: "published" });
    const found = rig.client.workflow.list({
      query: 'LecternLibrary = "/Shown/ToPeople" AND LecternState = "published"',
    });
    await expect
      .poll(
        async () => {
          for await (const { memo: kept } of found) return kept?.["runId"];
          return undefined;
        },
        { timeout: 10_000 },
      )
      .toBe(run.runId);
  });

  it("shows in the Web UI why a run failed", async () => {
    await work({
      resolve: async () => {
        throw new Failure("source_refused", "The source wants credentials. Refresh it with a gitToken.");
      },
    });
    const run = await submitted("/shown/failed");
    await expect(execution(run).result()).rejects.toMatchObject({
      cause: {
        type: "source_refused",
        category: "BENIGN",
        message: "The source wants credentials. Refresh it with a gitToken.",
      },
    });
    const { memo, typedSearchAttributes, status } = await execution(run).describe();
    expect(memo).toMatchObject({ phase: "resolving", outcome: "failed", failure: "source_refused" });
    expect(typedSearchAttributes.getAll().map(({ value }) => value)).toContain("failed");
    expect(status.name).toBe("FAILED");
  });
});

describe.skipIf(temporal === null)("the engine on Temporal with encryption", () => {
  it("lets Temporal see neither what a run is of nor why it failed", async () => {
    const dataConverter = createDataConverter([{ id: "k1", key: Buffer.alloc(32, 7) }]);
    const rig = await openTemporalRig(temporal ?? "", { dataConverter });
    await rig.work({
      collect: async () => {
        throw new Failure("source_refused", "The vault wants credentials.");
      },
    });
    const run = await openFirstRun(rig.catalog, "/secret/library");
    await rig.engine.start(run);
    expect(await closedRun(rig.catalog, run.runId)).toMatchObject({
      failure: { code: "source_refused", message: "The vault wants credentials." },
    });
    const handle = rig.client.workflow.getHandle(libraryWorkflowId(run));
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: "source_refused" } });
    expect((await handle.describe()).memo).toMatchObject({ runId: run.runId, failure: "source_refused" });
    const seen = JSON.stringify(await handle.fetchHistory(), (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
    );
    expect(seen).not.toContain("vault");
    expect(seen).not.toContain(run.runId);
    // A run that was started is joined by what its memo says.
    await rig.engine.start(run);
    await rig.close();
  });
});
