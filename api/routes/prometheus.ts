import * as z from "zod";

import { authorize } from "../../domain/authorizing.ts";
import { Failure } from "../../domain/failures.ts";
import type { ApiAnswer } from "../answers.ts";
import { route } from "../route.ts";
import type { Route } from "../route.ts";

/** Media type of https://prometheus.io/docs/instrumenting/exposition_formats/ */
const textFormat = "text/plain; version=0.0.4; charset=utf-8";

/** The scrape target of Prometheus. */
export const prometheusRoute: Route = route({
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
    summary: "Metrics of this process for Prometheus",
    description:
      "Also at `/metrics`, without `/api`. Programs on the same machine need no key, unless a proxy passes their requests on.",
  },
  answers: { 200: { description: "Metrics in the text format of Prometheus.", content: { "text/plain": z.string() } } },
  failures: ["service_unavailable"],
  handler: async ({ caller, options }) => {
    // A caller without a key is a program on this machine.
    if (caller.keyId !== null) authorize(caller, "scrape");
    if (!options.scrape) throw new Failure("service_unavailable", "This process measures nothing.");
    return scrapeAnswer(await options.scrape());
  },
});

/** Metrics as they are sent. */
export function scrapeAnswer(metrics: string): ApiAnswer {
  return { status: 200, headers: { "Content-Type": textFormat }, body: metrics };
}
