import { expect, inject, it, onTestFinished } from "vitest";
import { closedRun, openFirstRun, sampleCounts } from "../contracts/indexing-scripts.ts";
import { gitSpec } from "../support/git-spec.ts";
import { openTemporalRig } from "./support/temporal.ts";

const temporal = inject("temporal");

it.runIf(temporal !== null)(
  "a run of another host starts at once while four of one host are slow, and each gets its turn",
  async () => {
    const rig = await openTemporalRig(temporal ?? "");
    onTestFinished(() => rig.close());
    const gate = Promise.withResolvers<void>();
    const collecting = new Set<string>();
    await rig.work(
      {
        collect: async (_, { request }) => {
          collecting.add(request.libraryId);
          if (request.libraryId.startsWith("/slow/")) await gate.promise;
          return { generation: request.runId, contentHash: "h", revision: "c1", counts: sampleCounts };
        },
      },
      { slots: { main: 20, git: 4, crawl: 16, browser: 1, load: 8 } },
    );
    const open = (id: string, host: string) => openFirstRun(rig.catalog, id, "submit", gitSpec(`https://${host}/a/b`));
    const slow = await Promise.all([1, 2, 3, 4].map((number) => open(`/slow/${number}`, "slow.example")));
    for (const run of slow) await rig.engine.start(run);
    await expect.poll(() => collecting.size).toBe(3);
    const other = await open("/quick/1", "quick.example");
    await rig.engine.start(other);
    expect(await closedRun(rig.catalog, other.runId)).toMatchObject({ outcome: "published" });
    expect(collecting.size).toBe(4);
    gate.resolve();
    for (const { runId } of slow) expect(await closedRun(rig.catalog, runId)).toMatchObject({ outcome: "published" });
  },
);
