import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pino } from "pino";
import { createApp } from "../../../api/app.ts";
import { createMemoryLimiter } from "../../../api/limits.ts";
import { createMetrics } from "../../../api/metrics.ts";
import { compose } from "../../../cli/compose.ts";
import type { Lectern } from "../../../cli/composed.ts";
import { newId } from "../../../cli/ids.ts";
import { loadConfig, ownDocsFolder } from "../../../cli/config.ts";
import { operator } from "../../../domain/access.ts";
import { publicRegistries } from "../../../domain/packages.ts";
import { submitLibrary } from "../../../domain/submitting.ts";
import { openTelemetry } from "../../../cli/telemetry/index.ts";
import type { OpenTelemetry } from "../../../cli/telemetry/index.ts";
import { temporaryFolder } from "../../../test/support/lectern-process.ts";
import { createWriter } from "../corpus.ts";
import { median, printTable } from "../measure.ts";

const libraryId = "/docs/lectern";
const writer = createWriter(7);
/** Batch size of the exporter, in spans: a turn ends with all of its own sent, and waits for no timer. */
const batch = 512;
const questions = Array.from({ length: batch }, (_, at) => `${writer.question(3 + (at % 5))} settings`);
const log = pino({ level: "silent" });

/** A collector in a process of its own, whose time is nobody's. */
async function startSink() {
  const child = spawn(process.execPath, [join(import.meta.dirname, "sink.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const [port] = (await once(lines, "line")) as [string];
  let taken = 0;
  let told = Promise.withResolvers<void>();
  lines.on("line", (line) => {
    taken = Number(line);
    told.resolve();
    told = Promise.withResolvers();
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async received(spans: number): Promise<void> {
      while (taken < spans) await told.promise;
    },
    async close(): Promise<void> {
      child.kill();
      await once(child, "exit");
    },
  };
}

/** Processor time of an answer with and without counting, and with and without metrics and traces. */
export async function measureCost(rounds: number): Promise<void> {
  await using folder = await temporaryFolder();
  const config = loadConfig({ DATA_DIR: folder.path, RATE_LIMIT_ANONYMOUS: "1000000", LOG_LEVEL: "silent" });
  const lectern = await compose(config, { dataFolder: folder.path, name: "bench", log });
  await indexOwnDocs(lectern);
  const sink = await startSink();
  const telemetryWith = (environment: Record<string, string>): Promise<OpenTelemetry> =>
    openTelemetry({
      name: "bench",
      version: "0",
      environment,
      figures: (at) => lectern.ports.catalog.figures(at),
      reachable: async () => ({}),
      freeDisk: async () => ({}),
      sizes: async () => ({}),
      now: Date.now,
      onProblem: () => {},
    });
  process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = sink.url;
  const metering = await telemetryWith({});
  const tracing = await telemetryWith({ OTEL_EXPORTER_OTLP_ENDPOINT: sink.url });
  const { metrics: store } = lectern.ports.catalog;
  const counts = createMetrics({ record: (batch) => store.add(batch), every: 3_600_000, now: Date.now, newId, log });

  const appWith = (countAnswer: typeof counts.count, telemetry?: OpenTelemetry) =>
    createApp({
      version: "bench",
      ports: lectern.ports,
      limiter: createMemoryLimiter(),
      log,
      checkUrl: () => {},
      checkFolder: async (path) => path,
      readLockfile: lectern.readLockfile,
      countRead: () => {},
      noteMiss: () => {},
      countAnswer,
      adminKeyHash: null,
      ...(telemetry && { telemetry }),
      settings: {
        ...config,
        registries: publicRegistries,
        loopback: false,
        gitHosts: { github: [], gitlab: [], bitbucket: [], gitea: [] },
      },
      openapi: {},
    });
  let spans = 0;
  const nothing = async (): Promise<void> => {};
  const variants = [
    { name: "without", app: appWith(() => {}), end: nothing },
    { name: "with counting", app: appWith(counts.count), end: () => counts.flush() },
    { name: "with metrics", app: appWith(() => {}, metering), end: nothing },
    {
      name: "with metrics and traces",
      app: appWith(() => {}, tracing),
      async end() {
        spans += questions.length;
        await sink.received(spans);
      },
    },
  ];
  /** Processor time of a block, in milliseconds an answer. */
  const block = async ({ app, end }: (typeof variants)[number]): Promise<number> => {
    const before = process.cpuUsage();
    for (const [at, query] of questions.entries()) {
      const { status } = await app({
        method: "GET",
        path: "/api/v2/context",
        query: new URLSearchParams({ libraryId, query }),
        headers: { host: "docs.example.com", "x-context7-source": "mcp-server", "x-context7-client-ide": "cursor" },
        remoteAddress: `10.0.${at % 7}.${at % 251}`,
        readBody: async () => new Uint8Array(),
        signal: new AbortController().signal,
      });
      if (status !== 200) throw new Error(`Answered ${status}.`);
    }
    await end();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / questions.length;
  };
  for (const variant of variants) await block(variant);
  const taken: number[][] = variants.map(() => []);
  for (let round = 0; round < rounds; round += 1)
    for (let turn = 0; turn < variants.length; turn += 1) {
      const which = (round + turn) % variants.length;
      const variant = variants[which];
      if (variant) taken[which]?.push(await block(variant));
    }
  /** Processor time of telling an answer alone, in microseconds: what the pairs cannot tell from noise. */
  const telling = async (telemetry: OpenTelemetry, sent: boolean): Promise<number> => {
    const answers = 8 * batch;
    const before = process.cpuUsage();
    for (let at = 0; at < answers; at += 1) {
      const { startedAt, duration } = { startedAt: Date.now(), duration: 3 };
      const route = "/api/v2/context";
      telemetry.answered({ method: "GET", route, status: 200, startedAt, duration });
      if (sent && at % batch === batch - 1) await sink.received((spans += batch));
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / answers;
  };
  await telling(tracing, true);
  const alone = { metrics: await telling(metering, false), both: await telling(tracing, true) };
  await counts.close();
  await Promise.all([metering.close(), tracing.close()]);
  await sink.close();
  await lectern.close();
  const bare = taken[0] ?? [];
  console.log(`\n${rounds} rounds of ${questions.length} answers each, in turns\n`);
  printTable(
    ["", "CPU ms an answer (median)", "with / without (median of pairs)"],
    variants.map(({ name }, which) => {
      const own = taken[which] ?? [];
      return [name, median(own).toFixed(3), median(own.map((ms, at) => ms / (bare[at] ?? ms))).toFixed(3)];
    }),
  );
  const [ms, both] = [alone.metrics, alone.both].map((us) => `${us.toFixed(0)} µs`);
  console.log(`\ntelling an answer alone: metrics ${ms}, metrics and traces ${both}`);
}

async function indexOwnDocs(lectern: Lectern): Promise<void> {
  const { ports } = lectern;
  await lectern.open();
  const selection = { folders: [], excludeFolders: null, excludeFiles: null };
  const source = { kind: "folder", path: ownDocsFolder, selection } as const;
  const shown = { title: "Lectern", description: "" };
  const { runId } = await submitLibrary(ports, operator, { id: libraryId, private: false, source, ...shown });
  while ((await ports.catalog.runs.get(runId))?.state === "open") await new Promise((done) => setTimeout(done, 100));
}
