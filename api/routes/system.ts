import * as z from "zod";
import { Failure } from "../../domain/failures.ts";
import type { Catalog } from "../../domain/ports.ts";
import { jsonAnswer, type ApiAnswer } from "../answers.ts";
import { inTime, parts, reachableParts } from "../reachable.ts";
import { route, success, type Route } from "../route.ts";
import { authorize } from "../../domain/authorizing.ts";
import { deploymentSchema } from "../schemas/deployment.ts";

const okay = z.literal("ok").describe("Always `ok`.");

/** Without the engine a process answers all reads, so a load balancer must not remove it. */
const engineUnreachable =
  "The engine is unreachable: reads are answered, submissions are refused, and runs wait until it is back. The server's log says why.";

/** Media type of https://prometheus.io/docs/instrumenting/exposition_formats/ */
const textFormat = "text/plain; version=0.0.4; charset=utf-8";

/** Liveness, readiness and the telemetry of the published CLI, for all; state and metrics, for administrators. */
export const systemRoutes: readonly Route[] = [
  route({
    ...open("/api/health", "getHealth", "Check whether the server is alive"),
    limit: null,
    forProbes: true,
    isPolled: true,
    answers: success(z.object({ status: okay, version: z.string().describe("Version of the program.") })),
    handler: async ({ options }) => jsonAnswer({ status: "ok", version: options.version }),
  }),
  route({
    ...open("/api/ready", "getReady", "Check whether the server can answer reads"),
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
            .describe("Executes runs. While it is unreachable, reads are answered, but submissions are refused."),
        }),
        warnings: z
          .array(z.string())
          .optional()
          .describe(
            "Sentences on an unreachable engine, nearly full disks (`MIN_FREE_DISK`), and libraries missing in the index. The server is ready nevertheless.",
          ),
      }),
    ),
    failures: ["search_failed", "service_unavailable"],
    async handler({ options }) {
      if (options.isStopping?.() === true)
        throw new Failure("service_unavailable", "Not ready: the server is shutting down. Ask another one.");
      let advice = "";
      const reachable = await reachableParts(options.ports, (part, error) => {
        options.log.warn({ err: error, part }, "a part is unreachable");
        // An index that lost its data has advice in its message, which has no address.
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
            options.log.warn({ err: error }, "a readiness warning could not be read");
            return [];
          }),
        ),
      );
      const all = [...(reachable.engine ? [] : [engineUnreachable]), ...warnings.flat()];
      return jsonAnswer({
        status: "ready",
        checks: { catalog: "ok", index: "ok", engine: reachable.engine ? "ok" : "unreachable" },
        ...(all.length > 0 && { warnings: all }),
      });
    },
  }),
  route({
    ...open("/api/openapi.json", "getOpenApi", "Get this document"),
    answers: success(z.looseObject({})),
    handler: async ({ options }) => jsonAnswer(options.openapi),
  }),
  route({
    ...open(
      "/api/v2/cli/events",
      "dropEvents",
      "Accept the published command line client's events",
      "Nothing is stored.",
    ),
    method: "POST",
    answers: { 204: { description: "Nothing was stored." } },
    handler: async () => ({ status: 204, headers: {}, body: null }),
  }),
  route({
    method: "GET",
    path: "/api/v2/system",
    scope: "admin",
    limit: "read",
    about: {
      operationId: "getSystem",
      tag: "Server",
      summary: "Get the state of engine, queues, stores and disks",
      description:
        "For the instance's administrators. The data of `/api/metrics`, and the workers of Temporal's task queues.",
    },
    answers: success(deploymentSchema),
    failures: ["service_unavailable"],
    async handler({ caller, options }) {
      authorize(caller, "scrape");
      if (!options.deployment) throw new Failure("service_unavailable", "This process does not know its deployment.");
      return jsonAnswer({ ...(await options.deployment()), warnings: (await options.diskWarnings?.()) ?? [] });
    },
  }),
  route({
    method: "GET",
    path: "/api/metrics",
    aliases: ["/metrics"],
    scope: "admin",
    forLocal: true,
    limit: "open",
    isPolled: true,
    about: {
      operationId: "scrapeMetrics",
      tag: "Server",
      summary: "Get metrics of this process for Prometheus",
      description:
        "Also at `/metrics`, without `/api`. Programs on the same machine need no key, unless a proxy forwards their requests.",
    },
    answers: {
      200: { description: "Metrics in the text format of Prometheus.", content: { "text/plain": z.string() } },
    },
    failures: ["service_unavailable"],
    handler: async ({ caller, options }) => {
      // A caller without a key is a program on this machine.
      if (caller.keyId !== null) authorize(caller, "scrape");
      if (!options.scrape) throw new Failure("service_unavailable", "This process does not collect metrics.");
      return scrapeAnswer(await options.scrape());
    },
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

/** A warning if the index lacks libraries. */
async function indexWarnings({ generations }: Pick<Catalog, "generations">): Promise<readonly string[]> {
  const lost = new Set((await generations.live({ unindexed: true })).map(({ libraryUid }) => libraryUid));
  if (lost.size === 0) return [];
  const are =
    lost.size === 1 ? "1 library is not in the index and is" : `${lost.size} libraries are not in the index and are`;
  return [`${are} loaded again automatically; reads answer 503 until then. See which: lectern list --state unindexed.`];
}

/** The answer to Prometheus. */
export function scrapeAnswer(metrics: string): ApiAnswer {
  return { status: 200, headers: { "Content-Type": textFormat }, body: metrics };
}
