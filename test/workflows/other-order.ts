import type { Conclusion, IndexingRequest } from "../../domain/steps.ts";
import { createSteps } from "../../workflows/step-retries.ts";

/** The indexing workflow with its steps in another order: it announces the library before it reads anything. */
export async function indexLibrary(request: IndexingRequest): Promise<Conclusion> {
  const steps = createSteps();
  await steps.announce({ request });
  const { revision } = await steps.resolve({ request });
  return { outcome: "published", revision };
}
