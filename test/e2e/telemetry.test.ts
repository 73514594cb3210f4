import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, expect, it } from "vitest";
import { parse } from "yaml";
import { adminKey } from "../support/lectern-process.ts";
import { files, startServers } from "./setup.ts";

/** A span as OTLP sends it: https://github.com/open-telemetry/opentelemetry-proto */
interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

/** The spans that the collector below received. */
const spans: Span[] = [];
const collector = createServer((request, response) => {
  void text(request).then((body) => {
    const { resourceSpans } = JSON.parse(body) as Export;
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)));
    response.end("{}");
  });
}).listen(0, "127.0.0.1");
await once(collector, "listening");
afterAll(() => collector.close());

const { git, server, add } = await startServers(() => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
}));
const { url } = await git.repository("acme/widgets.git", files);
const submitted = (await add(url)).body as { runId: string };
await server.settled("/acme/widgets");
await server.call("GET", "/v2/context?libraryId=/acme/widgets&query=widget");

const scrape = (headers: Record<string, string> = {}): Promise<Response> => fetch(`${server.url}/metrics`, { headers });

it("serves counters and gauges to Prometheus", async () => {
  const response = await scrape();
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const lines = (await response.text()).split("\n");
  const valueOf = (start: string, ...labels: string[]): number | undefined => {
    const line = lines.find((one) => one.startsWith(start) && labels.every((label) => one.includes(label)));
    return line === undefined ? undefined : Number(line.split(" ").at(-1));
  };
  const requests = "http_server_request_duration_seconds_count{";
  expect(valueOf(requests, 'http_route="/api/v2/context"', 'http_response_status_code="200"')).toBe(1);
  expect(valueOf(requests, 'http_route="/api/v2/add/repo/git"', 'http_response_status_code="200"')).toBe(1);
  expect(valueOf("lectern_runs_total{", 'kind="git"', 'reason="submit"', 'outcome="published"')).toBe(1);
  expect(valueOf("lectern_step_duration_seconds_count{", 'step="collect"', 'result="ok"')).toBeGreaterThanOrEqual(1);
  expect(valueOf("lectern_libraries ")).toBeGreaterThanOrEqual(1);
  expect(valueOf("lectern_libraries_troubled{", 'trouble="failed"')).toBe(0);
  expect(valueOf("lectern_runs_open{", 'state="queued"')).toBe(0);
  for (const part of ["catalog", "index", "engine"])
    expect(valueOf("lectern_part_reachable{", `part="${part}"`), part).toBe(1);
  expect(valueOf("lectern_disk_free{", 'setting="DATA_DIR"')).toBeGreaterThan(0);
  for (const part of ["catalog", "index", "blobs"])
    expect(valueOf("lectern_storage_size_bytes{", `part="${part}"`), part).toBeGreaterThan(0);
  expect(valueOf("process_memory_usage_bytes ")).toBeGreaterThan(1e6);
});

it("serves metrics to local programs and administrators of the instance only", async () => {
  const remote = { "x-forwarded-for": "203.0.113.9" };
  expect((await scrape(remote)).status).toBe(401);
  expect((await scrape({ ...remote, authorization: "Bearer wrong" })).status).toBe(401);
  const { body } = await server.call("POST", "/v2/keys", { name: "reader", scopes: ["read"] });
  const { key } = body as { key: string };
  expect((await scrape({ ...remote, authorization: `Bearer ${key}` })).status).toBe(403);
  expect((await scrape({ ...remote, authorization: `Bearer ${adminKey}` })).status).toBe(200);
});

it("has every metric that the alerts and the dashboard name", async () => {
  const exported = new Set((await (await scrape()).text()).match(/^# TYPE \w+/gm)?.map((line) => line.slice(7)));
  // These appear with their first event, or with Temporal.
  for (const name of [
    "lectern_rate_limited_total",
    "lectern_sweep_last_seconds",
    "lectern_backup_last_seconds",
    "lectern_credentials_expire_seconds",
    "lectern_upstream_duration_seconds",
    "lectern_queue_waiting",
    "lectern_queue_workers",
  ])
    exported.add(name);
  const deploy = (name: string): string => readFileSync(join(import.meta.dirname, "..", "..", "deploy", name), "utf8");
  const alerts = parse(deploy("helm/lectern/files/prometheus-alerts.yaml")) as {
    groups: { rules: { expr: string }[] }[];
  };
  const dashboard = JSON.parse(deploy("grafana-dashboard.json")) as { panels: { targets: { expr: string }[] }[] };
  const expressions = [
    ...alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
  const names = expressions.flatMap(
    (expr) => expr.match(/\b(?:http|lectern|process|nodejs|v8js)_\w+(?=[{[) ]|$)/g) ?? [],
  );
  expect(names.length).toBeGreaterThan(20);
  const known = (name: string): boolean =>
    exported.has(name) || exported.has(name.replace(/_(?:count|bucket|sum)$/, ""));
  expect(names.filter((name) => !/^http_(?:response|route|request)/.test(name) && !known(name))).toEqual([]);
});

it("sends a trace of each run, linked from the request that started it, and joins the traces of clients", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  await fetch(`${server.url}/api/v2/libs/search?libraryName=widgets&query=widgets`, {
    headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
  });
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "query-docs",
      arguments: { libraryId: "/acme/widgets", query: "widget" },
      _meta: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    },
  };
  await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", "mcp-protocol-version": "2025-06-18" },
    body: JSON.stringify(message),
  });
  await expect.poll(() => spans.filter((span) => span.traceId === traceId).length, { timeout: 20_000 }).toBe(2);
  expect(
    spans
      .filter((span) => span.traceId === traceId)
      .map(({ name, parentSpanId, attributes }) => ({
        name,
        parentSpanId,
        called: attributes.find(({ key }) => key === "mcp.method.name")?.value.stringValue,
      })),
  ).toEqual([
    { name: "GET /api/v2/libs/search", parentSpanId: "b7ad6b7169203331", called: undefined },
    { name: "POST /mcp", parentSpanId: "00f067aa0ba902b7", called: "tools/call query-docs" },
  ]);
  const isOf = ({ attributes }: Span): boolean =>
    attributes.some(({ key, value }) => key === "lectern.run.id" && value.stringValue === submitted.runId);
  const [run, ...others] = spans.filter((span) => isOf(span) && span.name === "index submit");
  expect(others).toEqual([]);
  const steps = spans.filter((span) => isOf(span) && span.parentSpanId === run?.spanId);
  expect(steps.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["resolve", "collect", "assess", "load", "publish", "announce", "retire", "conclude"]),
  );
  expect(new Set(steps.map((span) => span.traceId))).toEqual(new Set([run?.traceId]));
  const request = spans.find(({ name }) => name === "POST /api/v2/add/repo/git");
  expect(request?.links).toMatchObject([{ traceId: run?.traceId, spanId: run?.spanId }]);
});
