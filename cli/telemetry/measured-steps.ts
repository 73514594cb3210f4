import { toFailureRecord } from "../../domain/failures.ts";
import type { Catalog } from "../../domain/ports.ts";
import {
  policyOf,
  type Conclusion,
  type IndexingRequest,
  type IndexingSteps,
  type StepName,
} from "../../domain/steps.ts";
import type { Telemetry } from "../../domain/telemetry.ts";

interface StepPorts {
  readonly telemetry: Telemetry;
  readonly catalog: Pick<Catalog, "libraries" | "runs">;
  readonly now: () => number;
  readonly onProblem: (error: unknown) => void;
}

/** Wraps the steps of every engine with telemetry of attempts and runs. */
export function observeSteps(steps: IndexingSteps, ports: StepPorts): IndexingSteps {
  const { telemetry, now } = ports;
  const observed = (name: StepName) => async (input: { readonly request: IndexingRequest }) => {
    const step = steps[name] as (given: unknown) => Promise<unknown>;
    const { queue } = policyOf(name, input);
    const startedAt = now();
    const end = (failure: Parameters<Telemetry["attempted"]>[0]["failure"]): void =>
      telemetry.attempted({ name, queue, request: input.request, startedAt, endedAt: now(), failure });
    try {
      const result = await step(input);
      end(null);
      if (name === "conclude") await reportEnd(ports, input as Parameters<IndexingSteps["conclude"]>[0]);
      return result;
    } catch (error) {
      end(toFailureRecord(error).code);
      throw error;
    }
  };
  return Object.fromEntries(
    (Object.keys(steps) as StepName[]).map((name) => [name, observed(name)]),
  ) as unknown as IndexingSteps;
}

/** Reports the end of a run. An error here does not fail the run. */
async function reportEnd(
  { telemetry, catalog, now, onProblem }: StepPorts,
  { request, conclusion }: { readonly request: IndexingRequest; readonly conclusion: Conclusion },
): Promise<void> {
  try {
    const [run, library] = await Promise.all([
      catalog.runs.get(request.runId),
      catalog.libraries.get(request.libraryUid),
    ]);
    telemetry.ended({
      request,
      kind: library?.source.kind ?? null,
      outcome: conclusion.outcome,
      failure: conclusion.failure?.code ?? null,
      createdAt: run?.createdAt ?? now(),
      endedAt: now(),
    });
  } catch (error) {
    onProblem(error);
  }
}
