import * as z from "zod";

import { Failure } from "../../domain/failures.ts";
import { jsonAnswer } from "../answers.ts";
import { inTime, parts, reachableParts } from "../reachable.ts";
import { route, success } from "../route.ts";
import type { Route } from "../route.ts";

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
            "A sentence for an engine that is unreachable, and for each disk that is nearly full (`MIN_FREE_DISK`). The server is ready all the same.",
          ),
      }),
    ),
    failures: ["search_failed"],
    async handler({ options }) {
      const reachable = await reachableParts(options.ports, (part, error) =>
        options.log.warn({ err: error, part }, "a part is unreachable"),
      );
      const missing = parts.filter((part) => part !== "engine" && !reachable[part]);
      if (missing.length > 0) {
        throw new Failure("search_failed", `Not ready, unreachable: ${missing.join(", ")}. The server's log says why.`);
      }
      const disks = await inTime(options.diskWarnings?.() ?? Promise.resolve([])).catch((error: unknown) => {
        options.log.warn({ err: error }, "the free disk space cannot be found out");
        return [];
      });
      const warnings = [...(reachable.engine ? [] : [engineAway]), ...disks];
      return jsonAnswer({
        status: "ready",
        checks: { catalog: "ok", index: "ok", engine: reachable.engine ? "ok" : "unreachable" },
        ...(warnings.length > 0 && { warnings }),
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
