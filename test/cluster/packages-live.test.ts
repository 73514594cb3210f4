import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registries, type RegistryName } from "../../domain/packages.ts";
import { startLectern, temporaryFolder, type LecternProcess } from "../support/lectern-process.ts";

/** What is looked at of an answer. */
interface Answer {
  readonly codeSnippets: readonly { readonly codeId: string; readonly codeList: unknown }[];
  readonly infoSnippets: readonly { readonly pageId: string; readonly content: string }[];
}

/** Packages of the real registries, with a question, and what answers it: code, and the file that has it. */
const packages: readonly (readonly [
  registry: RegistryName,
  name: string,
  question: string,
  code: RegExp,
  file: RegExp,
])[] = [
  ["npm", "fastify", "register a plugin with options", /register\(/, /docs\/|\.md/],
  ["npm", "undici", "make a request with fetch", /fetch|request/, /README|docs\/|\.d\.ts/],
  ["npm", "pino", "create a child logger", /child\(/, /docs\/|README|\.d\.ts/],
  ["npm", "zod", "string email schema", /email/, /\.d\.[cm]?ts|README|docs/],
  ["npm", "@types/node", "asynchronously rename file", /rename\(/, /fs\.d\.ts/],
  ["npm", "typescript", "source file", /SourceFile/, /\.d\.ts/],
  ["npm", "picomatch", "match a glob", /picomatch/, /README/],
  ["npm", "@types/semver", "satisfies range", /satisfies/, /\.d\.ts/],
  ["npm", "commander", "declare an option", /option\(/, /README|docs|Readme/i],
  ["npm", "kysely", "select from a table", /selectFrom|select/, /\.d\.ts|README/],
  ["npm", "smol-toml", "parse toml", /parse/, /README|\.d\.ts/],
  ["npm", "@fastify/busboy", "limits of files", /limits/, /README|\.d\.ts/],
  ["pypi", "requests", "Session get request timeout", /timeout/, /\.py|README|docs/],
  ["pypi", "httpx", "AsyncClient", /AsyncClient/, /_client\.py|README|docs/],
  ["pypi", "click", "option decorator", /option/, /\.py|README|docs/],
  ["pypi", "idna", "encode a domain", /encode/, /\.py|README/],
  ["crates", "serde", "derive Serialize", /Serialize/, /README|\.rs/],
  ["crates", "regex", "capture groups by name", /captures/i, /\.rs|README/],
  ["crates", "semver", "parse a version", /Version/, /\.rs|README/],
  ["go", "github.com/spf13/cobra", "add a subcommand", /AddCommand/, /\.md|\.go/],
  ["go", "github.com/google/uuid", "new random uuid", /New/, /\.go|README/],
  ["go", "golang.org/x/sync", "errgroup wait", /Wait|errgroup/, /\.go|README/],
];

/** The registries, as npm and the environment say; what cannot be reached. */
const places = Object.fromEntries(Object.entries(registries).map(([name, { url }]) => [name, url])) as Record<
  RegistryName,
  string
>;
places.npm = process.env["npm_config_registry"] ?? places.npm;
const samples: Readonly<Record<RegistryName, string>> = {
  npm: "picomatch",
  pypi: "idna/",
  crates: "config.json",
  go: "golang.org/x/sync/@v/list",
};
const unreachable = new Map<RegistryName, string>();
for (const name of Object.keys(samples) as RegistryName[])
  try {
    const { status } = await fetch(new URL(samples[name], places[name]), { signal: AbortSignal.timeout(15_000) });
    if (status !== 200) unreachable.set(name, `answers ${status}`);
  } catch (error) {
    unreachable.set(name, error instanceof Error ? error.message : "fails");
  }
const isRequired = (process.env["REQUIRE"] ?? "").split(",").includes("registry");
for (const [name, why] of unreachable)
  process.stderr.write(`SKIPPED: packages of ${registries[name].label} (${places[name]} ${why}).\n`);

it.runIf(isRequired)("reaches every registry", () => {
  expect([...unreachable]).toEqual([]);
});

describe("packages of the real registries", () => {
  let server: LecternProcess;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
    server = await startLectern(folder.path, {
      NPM_CONFIG_REGISTRY: places.npm,
      NPM_CONFIG_USERCONFIG: "/dev/null",
      // Machines of CI may reach registries through addresses of their own network.
      FETCH_ALLOW: "0.0.0.0/0",
      PARSE_THREADS: "2",
      ...(process.env["NODE_EXTRA_CA_CERTS"] !== undefined && {
        NODE_EXTRA_CA_CERTS: process.env["NODE_EXTRA_CA_CERTS"],
      }),
    });
  });
  afterAll(async () => {
    await server.kill("SIGTERM");
    await folder[Symbol.asyncDispose]();
  });

  it.for(packages)(
    "answers from %s %s",
    { timeout: 300_000 },
    async ([registry, name, question, code, file], { skip }) => {
      if (unreachable.has(registry)) skip();
      const added = await server.call("POST", "/v2/add/package", { registry, name });
      expect(added.status, JSON.stringify(added.body)).toBe(200);
      const { libraryName } = added.body as { libraryName: string };
      const status = (await server.settled(libraryName)) as { state: string; live: { ref: string } | null };
      expect(status, JSON.stringify(status)).toMatchObject({ state: "finalized" });
      const { ref = "" } = status.live ?? {};
      expect(ref).not.toBe("");
      const query = new URLSearchParams({ libraryId: libraryName, query: question, type: "json" }).toString();
      const answer = (await server.call("GET", `/v2/context?${query}`)).body as Answer;
      const snippets = [
        ...answer.codeSnippets.map(({ codeId, codeList }) => ({ from: codeId, text: JSON.stringify(codeList) })),
        ...answer.infoSnippets.map(({ pageId, content }) => ({ from: pageId, text: content })),
      ];
      const isRight = ({ from, text }: (typeof snippets)[number]): boolean =>
        code.test(text) && file.test(from.slice(from.indexOf("#"))) && from.includes(ref);
      expect(snippets.filter(isRight), JSON.stringify(snippets.map(({ from }) => from))).not.toEqual([]);
    },
  );
});
