import type { Telemetry } from "../../domain/telemetry.ts";
import { createGauges } from "./gauges.ts";
import type { Measured } from "./gauges.ts";
import { createInstruments } from "./instruments.ts";
import { createMetrics } from "./metrics.ts";
import { startTracing } from "./tracing.ts";
import type { Environment } from "./tracing.ts";

/** Options of telemetry. */
interface TelemetryOptions extends Measured {
  /** Name of the process, such as `lectern worker`. */
  readonly name: string;
  readonly version: string;
  /** Environment with the settings of OpenTelemetry: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
  readonly environment: Environment;
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
  const { name, version, environment } = options;
  const metrics = createMetrics({ name, version });
  const instruments = createInstruments(metrics.meter);
  const gauges = createGauges(metrics.meter, options);
  const tracing = await startTracing({ name, version, environment });
  return {
    answered(request) {
      instruments.answered(request);
      tracing?.answered(request);
    },
    attempted(step) {
      instruments.attempted(step);
      tracing?.attempted(step);
    },
    ended(run) {
      instruments.ended(run);
      tracing?.ended(run);
    },
    askedUpstream: instruments.askedUpstream,
    swept: gauges.swept,
    render: metrics.render,
    async close() {
      gauges.close();
      await tracing?.close();
      await metrics.close();
    },
  };
}
