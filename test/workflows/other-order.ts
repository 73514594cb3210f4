import type { Conclusion, IndexingRequest } from "../../domain/steps.ts";
import { createSteps } from "../../workflows/steps.ts";

/** What a careless change of the story would be: the library is announced before anything was read. */
export async function indexLibrary(request: IndexingRequest): Promise<Conclusion> {
  const steps = createSteps();
  await steps.announce({ request });
  const { revision } = await steps.resolve({ request });
  return { outcome: "published", revision };
}
