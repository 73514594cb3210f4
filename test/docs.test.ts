import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { routes } from "../api/app.ts";
import { meilisearchFlags } from "../tools/dev/meilisearch.ts";
import { referenceFiles } from "../tools/dev/reference.ts";
import { exitCodes } from "../cli/output.ts";
import { settings } from "../cli/config.ts";
import { failures } from "../domain/failures.ts";
import { queues } from "../domain/queues.ts";
import { stepPolicies } from "../domain/steps.ts";
import { sweepSchedule } from "../workers/temporal-setup.ts";
import * as workflows from "../workflows/names.ts";

const root = join(import.meta.dirname, "..");
const documents = [...globSync("*.md", { cwd: root }), ...globSync("docs/**/*.md", { cwd: root })];
const read = (name: string): string => readFileSync(join(root, name), "utf8");

/** Variables of other programs, of the Compose file and of the tests; Temporal's are those that its own library reads. */
const othersVariables: readonly string[] = `
  CONTEXT7_API_KEY CONTEXT7_API_URL GIT_BINARY GIT_SSL_CAINFO NODE_EXTRA_CA_CERTS AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY RECORD_HISTORIES TEMPORAL_API_KEY TEMPORAL_TLS
  TEMPORAL_TLS_SERVER_CA_CERT_PATH TEMPORAL_TLS_CLIENT_CERT_PATH TEMPORAL_TLS_CLIENT_KEY_PATH TEMPORAL_TLS_SERVER_NAME
  TEMPORAL_PROFILE TEMPORAL_CONFIG_FILE FAULT_SECONDS FAULT_SEED ENDURANCE NO_COLOR DATABASE_PASSWORD PROCESS_MEMORY LECTERN_IMAGE COMPOSE_FILE LECTERN_SUBMIT_KEY LECTERN_LIBRARY
  OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_TRACES_ENDPOINT OTEL_EXPORTER_OTLP_HEADERS OTEL_RESOURCE_ATTRIBUTES OTEL_TRACES_SAMPLER OTEL_TRACES_SAMPLER_ARG
`.split(/\s+/);

/** Everything between backticks, in code blocks too. */
function codeIn(text: string): readonly string[] {
  return [...text.matchAll(/```[^\n]*\n([\s\S]*?)```|`([^`\n]+)`/g)].map(([, block, inline]) => block ?? inline ?? "");
}

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(name: string): readonly string[] {
  const prose = read(name).replaceAll(/```[\s\S]*?```/g, "");
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe.each(documents)("%s", (name) => {
  const text = read(name);
  const code = codeIn(text);

  it("links only to what exists", () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) => target ?? "");
    expect(links.filter((link) => !existsSync(join(root, dirname(name), link)))).toEqual([]);
  });

  it("links only to headings that exist", () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)];
    const dead = links.filter(([, target = "", anchor = ""]) => {
      const linked = target === "" ? name : join(dirname(name), target);
      return !anchorsOf(linked).includes(anchor);
    });
    expect(dead.map(([link]) => link)).toEqual([]);
  });

  it("names only files that exist", () => {
    const folders = "domain|extract|sources|activities|workers|workflows|search|stores|api|cli|tools|test|docs|deploy";
    const paths = code.flatMap((part) =>
      [...part.matchAll(new RegExp(`(?<![\\w/.-])(?:${folders})/[\\w./-]+\\.(?:ts|mjs|md|json|yaml)`, "g"))].map(
        ([path]) => path,
      ),
    );
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("names only settings that exist", () => {
    const known = new Set<string>([
      ...Object.values(settings).flatMap(({ env, secret }) => (secret ? [env, `${env}_FILE`] : [env])),
      ...othersVariables,
    ]);
    const named = code.flatMap((part) =>
      [...part.matchAll(/(?<![\w$.-])\$?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w-])/g)].map(
        ([, setting]) => setting ?? "",
      ),
    );
    expect(named.filter((setting) => !known.has(setting))).toEqual([]);
  });

  it("names only failure codes and routes that exist", () => {
    const rows = [...text.matchAll(/\b[1-5]\d\d `([a-z_]+)`/g)].map(([, failure]) => failure ?? "");
    expect(rows.filter((failure) => !Object.hasOwn(failures, failure))).toEqual([]);
    const paths = new Set(
      routes.flatMap(({ path, aliases = [] }) => [path, ...aliases].map((one) => one.replace(/^\/api/, ""))),
    );
    const named = code.flatMap((part) =>
      [...part.matchAll(/(?<![\w.])(?:\/api)?(\/v[12]\/[\w/{}-]+|\/api\/(?:health|ready|openapi\.json))/g)].map(
        ([, path]) => (path ?? "").replace(/^\/api/, ""),
      ),
    );
    expect(
      named.filter((path) => !paths.has(path) && ![...paths].some((known) => known.startsWith(`${path}/`))),
    ).toEqual([]);
  });
});

it.each([...referenceFiles()])("docs/%s is what `npm run reference` writes", (path, text) => {
  expect(read(`docs/${path}`)).toBe(text);
});

it("docs/reference/cli.md has every exit code", () => {
  for (const code of Object.values(exitCodes)) expect(read("docs/reference/cli.md")).toContain(`| ${code} |`);
});

describe("docs/guides/monitor.md", () => {
  it("explains every name that the Temporal Web UI shows", () => {
    const { searchAttributes, taskQueue } = workflows;
    const code = codeIn(read("docs/guides/monitor.md"));
    const shown = [
      ...Object.values(searchAttributes).map(({ name }) => name),
      ...queues.map(taskQueue),
      ...Object.keys(stepPolicies),
      sweepSchedule,
      ..."indexLibrary sweep runId reason source startedAt phase revision counts outcome failure".split(" "),
    ];
    expect(shown.filter((name) => !code.includes(name))).toEqual([]);
  });
});

describe("docs/guides/run-a-cluster.md", () => {
  const text = read("docs/guides/run-a-cluster.md");

  it("names every setting that the parts of a cluster are chosen by, and every queue", () => {
    const { databaseUrl, blobUrl, meiliUrl, temporalAddress, encryptionKeys } = settings;
    const chosen = [databaseUrl, blobUrl, meiliUrl, temporalAddress, encryptionKeys].map(({ env }) => env);
    for (const name of [...chosen, ...queues]) expect(text).toContain(`\`${name}\``);
  });

  it("shows only rows that npm run cluster prints", () => {
    const [, block = ""] = /```text\n([\s\S]*?)```/.exec(text) ?? [];
    const program = ["cluster.ts", "local-cluster.ts"].map((file) => read(`tools/dev/${file}`)).join("");
    const sentences = [
      "Starting a cluster; its data and logs are in",
      "The cluster is running. Ctrl-C ends all of it.",
    ];
    for (const part of [...sentences, "Temporal Web UI", "admin key", "Submit a repository:"]) {
      expect(block).toContain(part);
      expect(program).toContain(part);
    }
    const parts = [...block.matchAll(/^ {2}([a-z]+)(?:-\d)? .*\(process \d+\)$/gm)].map(([, name = ""]) => name);
    expect(parts).toEqual(["api", "api", "worker", "worker", "meilisearch", "temporal", "postgres"]);
    for (const name of parts) expect(program).toContain(`"${name}"`);
  });

  it("has the flags that Meilisearch is started with", () => {
    const flags = meilisearchFlags.join(" ").split(/ (?=--)/);
    for (const flag of flags) expect(text).toContain(`\`${flag}\``);
  });
});

describe("docs/reference/settings.md", () => {
  it("names every open route that is limited", () => {
    const [, open = ""] = /^Open routes, (.*)$/m.exec(read("docs/reference/settings.md")) ?? [];
    const limited = routes
      .filter(({ limit }) => limit === "open")
      .flatMap(({ path, aliases = [] }) => [[path, ...aliases]]);
    expect(limited.filter((paths) => !paths.some((path) => open.includes(`\`${path}\``)))).toEqual([]);
  });
});

describe("docs/reference/conformance.md", () => {
  it("names a test for every statement", () => {
    const rows = read("docs/reference/conformance.md")
      .split("\n")
      .filter((line) => /^\| (?!-|the description says)/.test(line));
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.filter((row) => !/`test\/[\w/.-]+\.test\.ts`[^|]*\|$/.test(row))).toEqual([]);
  });
});

describe("README.md", () => {
  it("begins with what it is and the two commands", () => {
    const [head = ""] = read("README.md").split("\n## ");
    expect(head).toContain("npm ci --omit=dev --omit=peer && npm start");
    expect(head).toContain("npm ci && npm test");
  });
});

it("docs/README.md leads to every document for users", () => {
  const linked = [...read("docs/README.md").matchAll(/\]\(([^)]+\.md)\)/g)].map(([, path = ""]) => join("docs", path));
  const forUsers = documents.filter((name) => /^docs\/(?!internals|README)/.test(name));
  expect(forUsers.filter((name) => !linked.includes(name))).toEqual([]);
});

it.each<[documents: string, pattern: RegExp, limit: number]>([
  ["README.md", /^README\.md$/, 700],
  ["ARCHITECTURE.md", /^ARCHITECTURE\.md$/, 2000],
  ["CHANGELOG.md", /^CHANGELOG\.md$/, 1500],
  ["docs/internals", /^docs\/internals\//, 8000],
  ["all documents", /./, 41_000],
])("%s: few enough words to be read", (_name, pattern, limit) => {
  const words = documents
    .filter((name) => pattern.test(name))
    .flatMap((name) => read(name).match(/\S*[\p{L}\p{N}]\S*/gu) ?? []);
  expect(words.length).toBeLessThanOrEqual(limit);
});
