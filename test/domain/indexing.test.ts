import { describe, expect, it } from "vitest";
import { Failure } from "../../domain/failures.ts";
import { runIndexing } from "../../domain/indexing.ts";
import type { Conclusion, IndexingRequest, IndexingSteps, Phase, StepName } from "../../domain/steps.ts";
import { sampleCounts as counts } from "../contracts/indexing-scripts.ts";

const request: IndexingRequest = {
  runId: "run-2",
  libraryUid: "lib",
  teamspace: "",
  libraryId: "/a/b",
  version: "",
  reason: "refresh",
};

/** Steps of a refresh that finds new content, with the changes of a test, and a record of their calls. */
function scripted(changes: { [Name in StepName]?: IndexingSteps[Name] } = {}): {
  steps: IndexingSteps;
  called: StepName[];
  conclusions: Conclusion[];
  phases: Phase[];
} {
  const called: StepName[] = [];
  const conclusions: Conclusion[] = [];
  const plain: IndexingSteps = {
    resolve: async () => ({
      unchanged: false,
      revision: "c2",
      ref: "main",
      location: "",
      live: { generation: "run-1", contentHash: "old" },
    }),
    collect: async () => ({ generation: "run-2", contentHash: "new", revision: "c2", counts }),
    render: async () => ({ generation: "run-2", contentHash: "rendered", revision: "c2", counts }),
    assess: async () => ({ verdict: "publish" }),
    load: async () => ({ snippets: 1 }),
    publish: async () => ({ published: true }),
    announce: async () => {},
    retire: async () => {},
    conclude: async ({ conclusion }) => void conclusions.push(conclusion),
    ...changes,
  };
  const steps = Object.fromEntries(
    (Object.keys(plain) as StepName[]).map((name) => [
      name,
      (input: never) => {
        called.push(name);
        return plain[name](input);
      },
    ]),
  ) as unknown as IndexingSteps;
  return { steps, called, conclusions, phases: [] };
}

async function run(script: ReturnType<typeof scripted>, given = request): Promise<Conclusion> {
  return runIndexing(
    script.steps,
    given,
    (phase) => script.phases.push(phase),
    (error) => error === "cancelled",
  );
}

describe("runIndexing", () => {
  it("takes the revision from the pages where it is known only after reading", async () => {
    const resolve = async () => ({ unchanged: false, revision: "", ref: null, location: "", live: null });
    expect(await run(scripted({ resolve }))).toEqual({ outcome: "published", revision: "c2" });
  });

  it("publishes nothing where the revision turns out to be the refused one", async () => {
    const resolve = async () => ({ unchanged: false, revision: "", ref: null, location: "", live: null });
    const collect = async () =>
      ({ generation: "run-2", contentHash: "new", revision: "c2", counts, refused: true }) as const;
    const script = scripted({ resolve, collect });
    expect(await run(script)).toEqual({ outcome: "unchanged", revision: "c2" });
    expect(script.called).toEqual(["resolve", "collect", "announce", "conclude"]);
  });

  it("publishes what it collected, in this order", async () => {
    const script = scripted();
    expect(await run(script)).toEqual({ outcome: "published", revision: "c2" });
    expect(script.called).toEqual([
      "resolve",
      "collect",
      "assess",
      "load",
      "publish",
      "announce",
      "retire",
      "conclude",
    ]);
    expect(script.phases).toEqual([
      "resolving",
      "collecting",
      "assessing",
      "loading",
      "publishing",
      "announcing",
      "retiring",
    ]);
  });

  it("reads pages that need a browser before it assesses what was collected", async () => {
    const collected = { generation: "run-2", contentHash: "old", revision: "c2", counts };
    const script = scripted({ collect: async () => ({ ...collected, unrendered: 3 }) });
    expect(await run(script)).toEqual({ outcome: "published", revision: "c2" });
    expect(script.called.slice(0, 4)).toEqual(["resolve", "collect", "render", "assess"]);
    expect(script.phases.slice(0, 3)).toEqual(["resolving", "collecting", "assessing"]);
  });

  it("reads nothing where the revision is the same", async () => {
    const script = scripted({
      resolve: async () => ({ unchanged: true, revision: "c1", ref: null, location: "", live: null }),
    });
    expect(await run(script)).toEqual({ outcome: "unchanged", revision: "c1" });
    expect(script.called).toEqual(["resolve", "announce", "conclude"]);
  });

  it("publishes nothing where the content is the same", async () => {
    const script = scripted({
      collect: async () => ({ generation: "run-2", contentHash: "old", revision: "c2", counts }),
    });
    expect(await run(script)).toEqual({ outcome: "unchanged", revision: "c2" });
    expect(script.called).not.toContain("publish");
  });

  it("publishes the same content where the live generation is damaged", async () => {
    const script = scripted({
      collect: async () => ({ generation: "run-2", contentHash: "old", revision: "c2", counts, heals: true }),
    });
    expect(await run(script)).toEqual({ outcome: "published", revision: "c2" });
  });

  it("stops at a generation that is held", async () => {
    const script = scripted({ assess: async () => ({ verdict: "hold" }) });
    expect(await run(script)).toEqual({ outcome: "held", revision: "c2" });
    expect(script.called).not.toContain("load");
  });

  it("ends superseded where its base was changed meanwhile", async () => {
    const script = scripted({ publish: async () => ({ published: false }) });
    expect(await run(script)).toEqual({ outcome: "superseded", revision: "c2" });
    expect(script.called).not.toContain("announce");
  });

  it("loads and publishes a generation that exists, without reading the source", async () => {
    const script = scripted();
    const published: unknown[] = [];
    script.steps.publish = async (input) => {
      published.push(input.generation, input.live);
      return { published: true };
    };
    await run(script, { ...request, reason: "publish", generation: "run-0" });
    expect(published).toEqual(["run-0", "run-1"]);
    expect(script.called).toEqual(["resolve", "load", "announce", "retire", "conclude"]);
  });

  it("records the failure that ends it and throws it again", async () => {
    const failure = new Failure("source_not_found", "It is gone.");
    const script = scripted({ collect: () => Promise.reject(failure) });
    await expect(run(script)).rejects.toBe(failure);
    expect(script.conclusions).toEqual([
      { outcome: "failed", failure: { code: "source_not_found", message: "It is gone." } },
    ]);
  });

  it("records a cancellation as one", async () => {
    const script = scripted({ collect: () => Promise.reject("cancelled") });
    await expect(run(script)).rejects.toBe("cancelled");
    expect(script.conclusions[0]).toMatchObject({ outcome: "cancelled", failure: { code: "run_cancelled" } });
  });
});
