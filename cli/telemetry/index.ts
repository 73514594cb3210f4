import type { Telemetry } from "../../domain/telemetry.ts";
import { createGauges, type Measured } from "./gauges.ts";
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
  type Meter,
  type Context,
  type SpanContext,
  type SpanStatus,
} from "@opentelemetry/api";
import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AggregationTemporality, InstrumentType, MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import { createHash } from "node:crypto";

interface TelemetryOptions extends Measured {
  /** Name of the process, such as `lectern worker`. */
  readonly name: string;
  readonly version: string;
  /** The environment with the settings of OpenTelemetry: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The telemetry of a process. */
export interface OpenTelemetry extends Telemetry {
  /** All metrics in the text format of Prometheus. */
  render(): Promise<string>;
  /** Flushes spans. */
  close(): Promise<void>;
}

/** Metrics for Prometheus, and traces where an OTLP endpoint is set. */
export async function openTelemetry(options: TelemetryOptions): Promise<OpenTelemetry> {
  const metrics = createMetrics(options);
  const instruments = createInstruments(metrics.meter);
  const gauges = createGauges(metrics.meter, options);
  const tracing = await startTracing(options);
  const sinks = tracing ? [instruments, tracing] : [instruments];
  return {
    answered: (request) => sinks.forEach((sink) => sink.answered(request)),
    attempted: (step) => sinks.forEach((sink) => sink.attempted(step)),
    ended: (run) => sinks.forEach((sink) => sink.ended(run)),
    askedUpstream: instruments.askedUpstream,
    embedded: instruments.embedded,
    swept: gauges.swept,
    render: metrics.render,
    async close() {
      gauges.close();
      await tracing?.close();
      await metrics.close();
    },
  };
}

/** Collects metrics on demand. Gauges are those of the last measurement: otherwise, what cannot be measured would keep its old value. */
class Reader extends MetricReader {
  constructor() {
    const { CUMULATIVE, DELTA } = AggregationTemporality;
    super({
      aggregationTemporalitySelector: (type) => (type === InstrumentType.OBSERVABLE_GAUGE ? DELTA : CUMULATIVE),
    });
  }
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** A meter, and its metrics in the text format of Prometheus. */
function createMetrics({ name, version }: Pick<TelemetryOptions, "name" | "version">) {
  const reader = new Reader();
  const resource = resourceFromAttributes({ "service.name": name.replace(" ", "-"), "service.version": version });
  const provider = new MeterProvider({ resource, readers: [reader] });
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  return {
    meter: provider.getMeter("lectern", version),
    async render(): Promise<string> {
      const { resourceMetrics, errors } = await reader.collect();
      if (errors.length > 0) throw new AggregateError(errors, "Collecting metrics failed.");
      return serializer.serialize(resourceMetrics);
    },
    close: () => provider.shutdown(),
  };
}

/** Bounds of the histogram of requests, in seconds: reads take milliseconds, previews and MCP up to a minute. */
const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Bounds of the histograms of requests to the upstream and of embeddings, in seconds: the longest deadline is three. */
const upstreamBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3];

/** Bounds of the histogram of steps, in seconds: the longest timeout is two hours. */
const stepBounds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, 7200];

/** Counters and histograms of a process. Names follow the OpenTelemetry conventions if there are any, with the unit at the end, as in Prometheus. */
function createInstruments(meter: Meter): Omit<Telemetry, "swept"> {
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
  const embeddings = meter.createHistogram("lectern.embedding.duration.seconds", {
    description:
      "Embeddings of questions by result; unless it is answered or cached, the table of word pieces answered.",
    unit: "s",
    advice: { explicitBucketBoundaries: upstreamBounds },
  });
  return {
    embedded: (result, duration) => embeddings.record(duration / 1000, { result }),
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

/** The tracing of a process. */
type Tracing = Omit<Telemetry, "swept" | "askedUpstream" | "embedded"> & { close(): Promise<void> };

/**
 * Sends spans over OTLP. Undefined, and nothing is loaded, without an endpoint. Each run is a trace whose ID derives from the run ID, so
 * that steps on any process belong to it; the span of the request that started the run links to it. The exporter itself reads headers,
 * timeout, certificates and resource attributes.
 */
async function startTracing({ name, version, environment }: TelemetryOptions): Promise<Tracing | undefined> {
  const endpoint = environment["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] ?? environment["OTEL_EXPORTER_OTLP_ENDPOINT"];
  if (!endpoint || environment["OTEL_SDK_DISABLED"] === "true" || environment["OTEL_TRACES_EXPORTER"] === "none")
    return undefined;
  const [sdk, { OTLPTraceExporter }, { detectResources, envDetector, resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const random = new sdk.RandomIdGenerator();
  /** The derived IDs of the next span. */
  let next: SpanContext | undefined;
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ "service.name": name.replace(" ", "-"), "service.version": version }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    // By trace ID alone, so that all or no spans of a run are sent, whatever clients say.
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
    close: () => provider.shutdown(),
  };
}

function statusOf(failure: string | null): SpanStatus {
  return failure === null ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: failure };
}

/** The sampled share of traces, 0 to 1. */
function shareOf(environment: TelemetryOptions["environment"]): number {
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
