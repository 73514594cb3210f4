import type { Meter } from "@opentelemetry/api";
import type { Telemetry } from "../../domain/telemetry.ts";

/** Bounds of the histogram of requests, in seconds: reads take milliseconds, previews and MCP up to a minute. */
const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Bounds of the histogram of requests to the upstream, in seconds: the longest deadline is three. */
const upstreamBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3];

/** Bounds of the histogram of steps, in seconds: the longest timeout is two hours. */
const stepBounds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, 7200];

/** Counters and histograms of a process. Names follow the OpenTelemetry conventions where they exist, with the unit at the end, as in Prometheus. */
export function createInstruments(meter: Meter): Omit<Telemetry, "swept"> {
  const requests = meter.createHistogram("http.server.request.duration.seconds", {
    description: "Requests by operation and status.",
    unit: "s",
    advice: { explicitBucketBoundaries: requestBounds },
  });
  const limited = meter.createCounter("lectern.rate_limited", {
    description: "Requests that were refused by a rate limit.",
  });
  const steps = meter.createHistogram("lectern.step.duration.seconds", {
    description: "Attempts of steps by step, task queue and result: ok, or the code of the failure.",
    unit: "s",
    advice: { explicitBucketBoundaries: stepBounds },
  });
  const runs = meter.createCounter("lectern.runs", {
    description: "Runs that ended, by kind of source, reason and outcome.",
  });
  const upstream = meter.createHistogram("lectern.upstream.duration.seconds", {
    description: "Requests to the upstream by operation and result.",
    unit: "s",
    advice: { explicitBucketBoundaries: upstreamBounds },
  });
  return {
    askedUpstream(operation, result, duration) {
      upstream.record(duration / 1000, { operation, result });
    },
    answered({ method, route, status, duration, limited: limit }) {
      requests.record(duration / 1000, {
        "http.request.method": method,
        "http.route": route ?? "none",
        "http.response.status_code": status,
      });
      if (limit !== undefined) limited.add(1, { limit });
    },
    attempted({ name, queue, startedAt, endedAt, failure }) {
      steps.record((endedAt - startedAt) / 1000, { step: name, queue, result: failure ?? "ok" });
    },
    ended({ kind, outcome, failure, request }) {
      runs.add(1, { kind: kind ?? "none", reason: request.reason, outcome, failure: failure ?? "none" });
    },
  };
}
