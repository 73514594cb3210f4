import { inject } from "vitest";
import type { StepName } from "../../domain/steps.ts";
import { describeIndexing } from "../contracts/indexing-engine.ts";
import { openTemporalRig } from "./support/temporal.ts";

const temporal = inject("temporal");

if (temporal !== null)
  describeIndexing("Temporal", async (script) => {
    const rig = await openTemporalRig(temporal);
    const called: StepName[] = [];
    await rig.work(script, { told: (name) => called.push(name) });
    return { catalog: rig.catalog, engine: rig.engine, called, cleanup: () => rig.close() };
  });
