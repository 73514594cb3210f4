import { pino } from "pino";
import type { StepName } from "../../domain/steps.ts";
import { createLocalEngine } from "../../workers/local-engine.ts";
import { describeIndexing } from "../contracts/indexing-engine.ts";
import { scriptedActivities } from "../contracts/indexing-scripts.ts";
import { catalogOfTest } from "../support/of-test.ts";

describeIndexing("the in-process engine", async (script) => {
  const { catalog } = await catalogOfTest();
  const called: StepName[] = [];
  const engine = createLocalEngine({
    catalog,
    activities: scriptedActivities(catalog, script, (name) => called.push(name)),
    owner: "engine-1",
    runsAtOnce: 2,
    log: pino({ level: "silent" }),
    now: Date.now,
  });
  await engine.open();
  return { catalog, engine, called, cleanup: () => engine.close() };
});
