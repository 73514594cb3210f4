import type { Meter } from "@opentelemetry/api";
import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider } from "@opentelemetry/sdk-metrics";

/** A meter, and its metrics in the text format of Prometheus. */
export interface Metrics {
  readonly meter: Meter;
  render(): Promise<string>;
  close(): Promise<void>;
}

/** Metrics for scrapes; the server of the exporter is not started. */
export function createMetrics({ name, version }: { readonly name: string; readonly version: string }): Metrics {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const resource = resourceFromAttributes({ "service.name": name.replace(" ", "-"), "service.version": version });
  const provider = new MeterProvider({ resource, readers: [reader] });
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  return {
    meter: provider.getMeter("lectern", version),
    async render() {
      const { resourceMetrics, errors } = await reader.collect();
      if (errors.length > 0) throw new AggregateError(errors, "Collecting metrics failed.");
      return serializer.serialize(resourceMetrics);
    },
    close: () => provider.shutdown(),
  };
}
