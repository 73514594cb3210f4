import { join } from "node:path";
import { pino } from "pino";
import type { StepName } from "../../domain/steps.ts";
import { createLocalEngine } from "../../workers/local-engine.ts";
import { describeIndexing } from "../contracts/indexing-engine.ts";
import { scriptedActivities } from "../contracts/indexing-scripts.ts";
import { openEmptyCatalog } from "../support/empty-catalog.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

describeIndexing("the in-process engine", async (script) => {
  const folder = await temporaryFolder();
  const catalog = await openEmptyCatalog(join(folder.path, "catalog.sqlite"));
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
  return {
    catalog,
    engine,
    called,
    async cleanup() {
      await engine.close();
      await catalog.close();
      await folder[Symbol.asyncDispose]();
    },
  };
});
