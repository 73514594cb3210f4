import { createHash } from "node:crypto";
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import type { Context, SpanContext, SpanStatus } from "@opentelemetry/api";
import type { Telemetry } from "../../domain/telemetry.ts";

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The tracing of a process. */
type Tracing = Omit<Telemetry, "swept" | "askedUpstream"> & { close(): Promise<void> };

/**
 * Sends spans over OTLP; undefined without an endpoint, and then nothing of it is loaded. Each run is a trace, whose ID derives from
 * the run ID, so that its steps belong together on any process; the span of the request that started the run links to it. The
 * exporter reads headers, timeout, certificates and resource attributes itself.
 */
export async function startTracing({
  name,
  version,
  environment,
}: {
  readonly name: string;
  readonly version: string;
  readonly environment: Environment;
}): Promise<Tracing | undefined> {
  const endpoint = environment["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] ?? environment["OTEL_EXPORTER_OTLP_ENDPOINT"];
  if (!endpoint || environment["OTEL_SDK_DISABLED"] === "true" || environment["OTEL_TRACES_EXPORTER"] === "none")
    return undefined;
  const [sdk, { OTLPTraceExporter }, { detectResources, envDetector, resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const random = new sdk.RandomIdGenerator();
  /** IDs of the next span, where they are derived. */
  let next: SpanContext | undefined;
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ "service.name": name.replace(" ", "-"), "service.version": version }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    // By the trace ID alone: all spans of a run are sent or none, independent of clients.
    sampler: new sdk.TraceIdRatioBasedSampler(shareOf(environment)),
    idGenerator: {
      generateTraceId: () => next?.traceId ?? random.generateTraceId(),
      generateSpanId: () => next?.spanId ?? random.generateSpanId(),
    },
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer("lectern", version);
  return {
    answered({ method, route, called, status, startedAt, duration, traceparent, runId }) {
      const span = tracer.startSpan(
        `${method} ${route ?? "none"}`,
        {
          kind: SpanKind.SERVER,
          startTime: startedAt,
          attributes: {
            "http.request.method": method,
            "http.route": route ?? "none",
            "http.response.status_code": status,
            ...(called !== undefined && { "mcp.method.name": called }),
            ...(runId !== undefined && { "lectern.run.id": runId }),
          },
          ...(runId !== undefined && { links: [{ context: contextOf(runId) }] }),
        },
        parentOf(traceparent),
      );
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(startedAt + duration);
    },
    attempted({ name: step, queue, request, startedAt, endedAt, failure }) {
      const span = tracer.startSpan(
        step,
        {
          startTime: startedAt,
          attributes: {
            "lectern.run.id": request.runId,
            "lectern.library": request.libraryId,
            "lectern.queue": queue,
          },
        },
        trace.setSpanContext(ROOT_CONTEXT, contextOf(request.runId)),
      );
      span.setStatus(statusOf(failure)).end(endedAt);
    },
    ended({ request, kind, outcome, failure, createdAt, endedAt }) {
      next = contextOf(request.runId);
      const span = tracer.startSpan(`index ${request.reason}`, {
        root: true,
        startTime: createdAt,
        attributes: {
          "lectern.run.id": request.runId,
          "lectern.library": request.libraryId,
          "lectern.version": request.version,
          "lectern.kind": kind ?? "none",
          "lectern.outcome": outcome,
        },
      });
      next = undefined;
      span.setStatus(statusOf(failure)).end(endedAt);
    },
    async close() {
      await provider.shutdown();
    },
  };
}

function statusOf(failure: string | null): SpanStatus {
  return failure === null ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: failure };
}

/** The sampled share of traces, 0 to 1. */
function shareOf(environment: Environment): number {
  const sampler = environment["OTEL_TRACES_SAMPLER"] ?? "parentbased_always_on";
  if (sampler.endsWith("always_off")) return 0;
  const share = Number(environment["OTEL_TRACES_SAMPLER_ARG"] ?? "1");
  return sampler.endsWith("traceidratio") && share >= 0 && share <= 1 ? share : 1;
}

/** The span context of a run, derived from its ID. */
function contextOf(runId: string): SpanContext {
  const hash = createHash("sha256").update(runId).digest("hex");
  return {
    traceId: hash.slice(0, 32),
    spanId: hash.slice(32, 48),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  };
}

/** The span context of the client, from the header of https://www.w3.org/TR/trace-context/; malformed ones are ignored. */
function parentOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] =
    /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
  });
}
