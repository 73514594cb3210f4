import * as z from "zod";
import { Failure } from "../../domain/failures.ts";
import type { Catalog } from "../../domain/ports.ts";
import { jsonAnswer } from "../answers.ts";
import { inTime, parts, reachableParts } from "../reachable.ts";
import { route, success } from "../route.ts";
import type { Route } from "../route.ts";
import { authorize } from "../../domain/authorizing.ts";
import { deploymentSchema } from "../schemas/deployment.ts";

const okay = z.literal("ok").describe("Always `ok`.");

/** Without the engine a process answers all reads, so a load balancer has to leave it in. */
const engineAway =
  "The engine is unreachable: reads are answered, submissions are refused, and runs wait until it is back. The server's log says why.";

/** Liveness, readiness and the telemetry of the published CLI; open to all. */
export const systemRoutes: readonly Route[] = [
  route({
    ...open("/api/health", "getHealth", "Is the server alive?"),
    limit: null,
    forProbes: true,
    isPolled: true,
    answers: success(z.object({ status: okay, version: z.string().describe("Version of the program.") })),
    handler: async ({ options }) => jsonAnswer({ status: "ok", version: options.version }),
  }),
  route({
    ...open("/api/ready", "getReady", "Can the server answer reads?"),
    forProbes: true,
    isPolled: true,
    answers: success(
      z.object({
        status: z.literal("ready").describe("Always `ready`."),
        checks: z.object({
          catalog: okay,
          index: okay,
          engine: z
            .enum(["ok", "unreachable"])
            .describe("What executes runs. While it is unreachable reads are answered, and submissions are refused."),
        }),
        warnings: z
          .array(z.string())
          .optional()
          .describe(
            "Sentences: for an engine that is unreachable, for each disk that is nearly full (`MIN_FREE_DISK`), and for libraries that the index lost. The server is ready all the same.",
          ),
      }),
    ),
    failures: ["search_failed"],
    async handler({ options }) {
      // What to do about an index, which may have lost its data; it names no address.
      let advice = "";
      const reachable = await reachableParts(options.ports, (part, error) => {
        options.log.warn({ err: error, part }, "a part is unreachable");
        if (part === "index" && error instanceof Failure) advice = ` ${error.message}`;
      });
      const missing = parts.filter((part) => part !== "engine" && !reachable[part]);
      if (missing.length > 0) {
        throw new Failure(
          "search_failed",
          `Not ready, unreachable: ${missing.join(", ")}. The server's log says why.${advice}`,
        );
      }
      const warnings = await Promise.all(
        [options.diskWarnings ?? (async () => []), () => indexWarnings(options.ports.catalog)].map((read) =>
          inTime(read()).catch((error: unknown) => {
            options.log.warn({ err: error }, "a part of the readiness cannot be found out");
            return [];
          }),
        ),
      );
      const all = [...(reachable.engine ? [] : [engineAway]), ...warnings.flat()];
      return jsonAnswer({
        status: "ready",
        checks: { catalog: "ok", index: "ok", engine: reachable.engine ? "ok" : "unreachable" },
        ...(all.length > 0 && { warnings: all }),
      });
    },
  }),
  route({
    ...open("/api/openapi.json", "getOpenApi", "This document"),
    answers: success(z.looseObject({})),
    handler: async ({ options }) => jsonAnswer(options.openapi),
  }),
  route({
    ...open("/api/v2/cli/events", "dropEvents", "Takes the published command line client's events", "Nothing is kept."),
    method: "POST",
    answers: { 204: { description: "Nothing was kept." } },
    handler: async () => ({ status: 204, headers: {}, body: null }),
  }),
];

function open(
  path: string,
  operationId: string,
  summary: string,
  description?: string,
): Pick<Route, "method" | "path" | "scope" | "limit" | "about"> {
  const about = { operationId, tag: "Server", summary, ...(description !== undefined && { description }) } as const;
  return { method: "GET", path, scope: "open", limit: "open", about };
}

/** A sentence where the index lacks libraries. */
async function indexWarnings({ generations }: Pick<Catalog, "generations">): Promise<readonly string[]> {
  const lost = new Set((await generations.live({ unindexed: true })).map(({ libraryUid }) => libraryUid));
  if (lost.size === 0) return [];
  const are =
    lost.size === 1 ? "1 library is not in the index and is" : `${lost.size} libraries are not in the index and are`;
  return [`${are} loaded again by itself; reads answer 503 until then. See which: lectern list --state unindexed.`];
}

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
