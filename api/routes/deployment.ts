import { authorize } from "../../domain/authorizing.ts";
import { Failure } from "../../domain/failures.ts";
import { jsonAnswer } from "../answers.ts";
import { route, success } from "../route.ts";
import type { Route } from "../route.ts";
import { deploymentSchema } from "../schemas/deployment.ts";

/** The state of the deployment, for administrators of the instance. */
export const deploymentRoute: Route = route({
  method: "GET",
  path: "/api/v2/system",
  scope: "admin",
  limit: "read",
  about: {
    operationId: "getSystem",
    tag: "Server",
    summary: "Engine, queues, stores and disks",
    description:
      "For the instance's administrators. What `/api/metrics` has for programs, and who polls Temporal's task queues.",
  },
  answers: success(deploymentSchema),
  failures: ["service_unavailable"],
  async handler({ caller, options }) {
    authorize(caller, "scrape");
    if (!options.deployment) throw new Failure("service_unavailable", "This process does not know its deployment.");
    return jsonAnswer({ ...(await options.deployment()), warnings: (await options.diskWarnings?.()) ?? [] });
  },
});
