import { pino } from "pino";
import { expect, it } from "vitest";
import type { Phase, Progress } from "../../domain/steps.ts";
import { createReporter } from "../../workers/reporter.ts";

function setup(every: number) {
  const written: { phase?: Phase; progress?: Progress }[] = [];
  const catalog = { runs: { report: async (_runId: string, report: object) => void written.push(report) } };
  const reporter = createReporter({
    catalog: catalog as unknown as Parameters<typeof createReporter>[0]["catalog"],
    runId: "run-1",
    every,
    log: pino({ level: "silent" }),
    now: () => 1,
  });
  return { reporter, written };
}

it("writes the first progress at once, and the last one with the next phase", async () => {
  const { reporter, written } = setup(60_000);
  reporter.enter("collecting");
  for (const pagesDone of [1, 2, 3]) reporter.report({ pagesDone, pagesKnown: 3 });
  reporter.enter("assessing");
  await reporter.settled();
  expect(written).toEqual([
    { phase: "collecting" },
    { progress: { pagesDone: 1, pagesKnown: 3 } },
    { phase: "assessing", progress: { pagesDone: 3, pagesKnown: 3 } },
  ]);
});

it("keeps the latest value of each figure until it is written", async () => {
  const { reporter, written } = setup(60_000);
  reporter.report({ pagesDone: 1 });
  reporter.report({ pagesDone: 3, snippets: 2 });
  reporter.report({ snippets: 5 });
  await reporter.settled();
  expect(written.at(-1)).toEqual({ progress: { pagesDone: 3, snippets: 5 } });
});

it("writes what is left at the end, and nothing twice", async () => {
  const { reporter, written } = setup(60_000);
  reporter.report({ pagesDone: 1 });
  reporter.report({ pagesDone: 2 });
  await reporter.settled();
  await reporter.settled();
  expect(written).toEqual([{ progress: { pagesDone: 1 } }, { progress: { pagesDone: 2 } }]);
});
