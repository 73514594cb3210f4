import { monitorEventLoopDelay } from "node:perf_hooks";
import type { BatchObservableResult, Meter, ObservableGauge } from "@opentelemetry/api";
import type { CatalogFigures, QueueState } from "../../domain/telemetry.ts";

/** The sources of gauges. */
export interface Measured {
  readonly figures: (now: number) => Promise<CatalogFigures>;
  /** Whether each part that the process depends on responds. */
  readonly reachable: () => Promise<Readonly<Record<string, boolean>>>;
  /** The task queues; absent if runs execute in this process. */
  readonly queues?: (() => Promise<readonly QueueState[]>) | undefined;
  /** Free share of each disk, 0 to 1, by the setting that names a folder on it. */
  readonly freeDisk: () => Promise<Readonly<Record<string, number>>>;
  /** Storage sizes in bytes, on disks of this process or on servers. */
  readonly sizes: () => Promise<Readonly<Record<string, number>>>;
  /** When the last backup was made, in milliseconds since 1970; null: none is known. */
  readonly backedUpAt: () => Promise<number | null>;
  /** When the first credential expires, in milliseconds since 1970; null: no expiry is known. */
  readonly firstExpiry: () => Promise<number | null>;
  readonly now: () => number;
  readonly onProblem: (error: unknown) => void;
}

const nanoseconds = 1e9;

/** Resolution of the event loop delay, in milliseconds. */
const resolution = 20;

/** Gauges of the deployment and of the process, measured at each scrape. Values that cannot be measured are omitted, and reported to `onProblem`. */
export function createGauges(meter: Meter, measured: Measured) {
  const { figures, reachable, queues, freeDisk, sizes, now, onProblem } = measured;
  const gauge = (name: string, description: string, unit = ""): ObservableGauge =>
    meter.createObservableGauge(name, { description, unit });
  /** Observes some gauges together; an error omits only these. */
  const observe = (gauges: readonly ObservableGauge[], read: (result: BatchObservableResult) => Promise<void>): void =>
    meter.addBatchObservableCallback((result) => read(result).catch(onProblem), [...gauges]);

  const libraries = gauge("lectern.libraries", "Libraries.");
  const troubled = gauge("lectern.libraries.troubled", "Libraries in trouble, by kind of trouble.");
  const open = gauge("lectern.runs.open", "Runs that are queued or running.");
  const age = gauge("lectern.queue.age.seconds", "Age of the oldest queued run; 0: none.", "s");
  const hosts = gauge(
    "lectern.hosts.postponed",
    "Hosts to which requests are postponed, as they asked for a pause or refused.",
  );
  observe([libraries, troubled, open, age, hosts], async (result) => {
    const at = now();
    const { libraries: all, troubles, queued, running, queuedSince, postponedHosts } = await figures(at);
    result.observe(libraries, all);
    for (const [trouble, count] of Object.entries(troubles)) result.observe(troubled, count, { trouble });
    result.observe(open, queued, { state: "queued" });
    result.observe(open, running, { state: "running" });
    result.observe(age, queuedSince === null ? 0 : Math.max(0, at - queuedSince) / 1000);
    result.observe(hosts, postponedHosts);
  });

  const part = gauge("lectern.part.reachable", "Whether a part responds: 1 or 0.");
  observe([part], async (result) => {
    for (const [name, answers] of Object.entries(await reachable()))
      result.observe(part, answers ? 1 : 0, { part: name });
  });

  const polling = gauge("lectern.queue.workers", "Workers that polled a task queue in the last five minutes.");
  const waiting = gauge("lectern.queue.waiting", "Approximate number of tasks that wait in a task queue.");
  if (queues)
    observe([polling, waiting], async (result) => {
      for (const { queue, workers, waiting: tasks } of await queues()) {
        result.observe(polling, workers.length, { queue });
        result.observe(waiting, tasks, { queue });
      }
    });

  const free = gauge("lectern.disk.free", "Free share of the disk that a setting names, 0 to 1.");
  observe([free], async (result) => {
    for (const [setting, share] of Object.entries(await freeDisk())) result.observe(free, share, { setting });
  });

  const size = gauge(
    "lectern.storage.size.bytes",
    "Size of catalog, index and blobs, if they are files of this process or their servers report it.",
    "By",
  );
  observe([size], async (result) => {
    for (const [part, bytes] of Object.entries(await sizes())) result.observe(size, bytes, { part });
  });

  const times = [
    [gauge("lectern.backup.last.seconds", "When the last backup was made, as Unix time.", "s"), measured.backedUpAt],
    [
      gauge("lectern.credentials.expire.seconds", "When the first credential expires, as Unix time.", "s"),
      measured.firstExpiry,
    ],
  ] as const;
  for (const [time, read] of times)
    observe([time], async (result) => {
      const at = await read();
      if (at !== null) result.observe(time, at / 1000);
    });

  let sweptAt: number | undefined;
  const swept = gauge("lectern.sweep.last.seconds", "When a sweep last ended in this process, as Unix time.", "s");
  swept.addCallback((result) => {
    if (sweptAt !== undefined) result.observe(sweptAt / 1000);
  });

  return {
    /** Records the end of a sweep, in milliseconds since 1970. */
    swept: (at: number) => void (sweptAt = at),
    close: observeProcess(meter, gauge),
  };
}

/** Gauges of the Node process, named by the OpenTelemetry conventions for processes, V8 and Node. */
function observeProcess(
  meter: Meter,
  gauge: (name: string, description: string, unit?: string) => ObservableGauge,
): () => void {
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const loop = gauge(
    "nodejs.eventloop.delay.seconds",
    "Delay of the event loop since the last scrape, by quantile.",
    "s",
  );
  loop.addCallback((result) => {
    for (const quantile of [0.5, 0.99, 1]) {
      const measured = delay.count === 0 ? 0 : delay.percentile(quantile * 100) / nanoseconds;
      // Node measures the time between two timers: the delay is what exceeds the resolution.
      result.observe(Math.max(0, measured - resolution / 1000), { quantile });
    }
    delay.reset();
  });
  meter
    .createObservableCounter("process.cpu.time.seconds", { description: "Processor time.", unit: "s" })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage();
      result.observe(user / 1e6, { "cpu.mode": "user" });
      result.observe(system / 1e6, { "cpu.mode": "system" });
    });
  const memory = gauge("process.memory.usage.bytes", "Resident memory.", "By");
  memory.addCallback((result) => result.observe(process.memoryUsage.rss()));
  const heap = gauge("v8js.memory.heap.used.bytes", "Used heap of the main thread.", "By");
  heap.addCallback((result) => result.observe(process.memoryUsage().heapUsed));
  const uptime = gauge("process.uptime.seconds", "Time since the process started.", "s");
  uptime.addCallback((result) => result.observe(process.uptime()));
  return () => delay.disable();
}
