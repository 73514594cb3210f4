import { makeTelemetryFilterString, Runtime } from "@temporalio/worker";
import type { Logger as TemporalLogger, LogLevel, LogMetadata } from "@temporalio/worker";
import type { Logger } from "pino";

const levels = { TRACE: "trace", DEBUG: "debug", INFO: "info", WARN: "warn", ERROR: "error" } as const;

let installed = false;

/**
 * Hands the log of Temporal's runtime to ours and leaves signals to the process. To be called before the first
 * NativeConnection, which begins a runtime of its own otherwise. There is one a process: what was installed first stays. Its metrics for
 * Prometheus are served at `metricsAddress` (host:port); null: they are not.
 */
export function installRuntime(log: Logger, metricsAddress: string | null = null): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    logger: toTemporalLogger(log),
    // The process decides in what order it stops.
    shutdownSignals: [],
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: "WARN", other: "ERROR" }) },
      ...(metricsAddress !== null && {
        metrics: {
          prometheus: { bindAddress: metricsAddress, useSecondsForDurations: true, countersTotalSuffix: true },
        },
      }),
    },
  });
}

/** Our logger as Temporal's. */
export function toTemporalLogger(log: Logger): TemporalLogger {
  const write = (level: LogLevel, message: string, { error, ...meta }: LogMetadata = {}): void =>
    log[levels[level]]({ ...meta, ...(error !== undefined && { err: error as unknown }) }, message);
  return {
    log: write,
    trace: (message, meta) => write("TRACE", message, meta),
    debug: (message, meta) => write("DEBUG", message, meta),
    info: (message, meta) => write("INFO", message, meta),
    warn: (message, meta) => write("WARN", message, meta),
    error: (message, meta) => write("ERROR", message, meta),
  };
}
