import { manifestForms } from "../api/manifests/entries.ts";
import { parseManifestText } from "../api/manifests/text.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { routes } from "../api/app.ts";
import { supportedAgents } from "../cli/setup-client-agents.ts";
import { loadConfig, settings } from "../cli/config.ts";
import { lecternProblems, openShell, programs, settingNames, type Shell } from "./support/documented-commands.ts";
import { startDocumentedWorld, type DocumentedWorld } from "./support/documented-world.ts";
import { allInlineCode, blocksOfDocuments, textOf, type Block, type InlineCode } from "./support/documents.ts";

const root = join(import.meta.dirname, "..");

/** What is wrong with something in a document, as sentences. */
type Problems = readonly string[] | Promise<readonly string[]>;

/**
 * Each block of each document is run or checked by the rule of its language. A block without a rule fails: write one. `lectern`
 * itself, and the published clients, are run by test/long/documents.test.ts.
 */
const rules: Readonly<Record<string, (block: Block) => Problems>> = {
  sh: runBlock,
  // test/sources/classifier.test.ts holds the bodies of a classifier to the program.
  json: ({ document, text }) =>
    document === "docs/guides/add-a-classifier.md" ? [] : configurationProblems(JSON.parse(text)),
  toml: ({ text }) => configurationProblems(parseToml(text)),
  yaml: yamlProblems,
  // test/cluster/reverse-proxy.test.ts runs them.
  nginx: () => [],
  caddyfile: () => [],
  text: shownProblems,
  "": shownProblems,
  js: ({ document }) => (runByLong.includes(document) ? [] : [`test/long runs only that of ${runByLong.join(", ")}.`]),
  async ts({ text }) {
    const [, name = "", path = ""] = /^import \{ (\w+) \} from "\.\/(.*)";$/m.exec(text) ?? [];
    const module = (await import(/* @vite-ignore */ join(root, path))) as Readonly<Record<string, unknown>>;
    return name in module ? [] : [`${path} has no ${name}.`];
  },
};

/** Documents whose JavaScript is run by test/long. */
const runByLong = ["docs/guides/connect-agents.md", "docs/guides/add-a-classifier.md"];

/** Blocks that show what the program prints, and diagrams: their beginnings, and where the program says it; none: a diagram. */
const shown: readonly (readonly [begins: RegExp, source?: string, says?: readonly string[]])[] = [
  [/^ *HTTP  /],
  [/^domain\/      pure/],
  [/^cli -> workers/],
  // Held to the program by test/docs.test.ts.
  [/^Starting a cluster; /],
];

/** Inline code that is checked wherever it stands. */
const inlineRules: readonly (readonly [form: RegExp, problems: (text: string) => Problems])[] = [
  [/^(?:npx )?lectern [a-z]/, (text) => lecternProblems(wordsIn(text.replace("npx ", "")).slice(1), "named")],
  [/^(?:npm|docker|git clone|temporal) /, (text) => programs[wordsIn(text)[0] ?? ""]?.(wordsIn(text).slice(1)) ?? []],
  [/^(?:GET|POST|PATCH|DELETE|PUT) \//, routeProblems],
  [/^\{?"\w+": /, jsonProblems],
  [
    /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*=[^\s<…]*$/,
    (text) => settingProblems({ [text.replace(/=.*/, "")]: text.replace(/^\w+=/, "") }),
  ],
];

let world: DocumentedWorld;
let shell: Shell;
beforeAll(async () => {
  // The parser of commands prints what it refuses.
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  world = await startDocumentedWorld();
  shell = await openShell(world.folder);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await world.close();
});

describe("blocks", () => {
  it.each(blocksOfDocuments())("of %s are right", async (document, blocks) => {
    await world.prepare(document);
    const problems: string[] = [];
    for (const block of blocks) {
      const check = rules[block.language];
      const found = check ? await check(block) : [`There is no rule for blocks of ${block.language}.`];
      problems.push(...found.map((problem) => `${document}:${block.line}: ${problem}`));
    }
    expect(problems).toEqual([]);
    await world.empty();
  });
});

it("inline commands, routes, JSON and settings are right", async () => {
  const problemsIn = async ({ document, line, text }: InlineCode): Promise<readonly string[]> => {
    const rule = inlineRules.find(([form]) => form.test(text))?.[1];
    return ((await rule?.(text)) ?? []).map((problem) => `${document}:${line}: ${text}: ${problem}`);
  };
  const found = [];
  // One after the other, as each loads what the others have loaded.
  for (const code of allInlineCode()) found.push(...(await problemsIn(code)));
  expect(found).toEqual([]);
});

/** Runs commands, and checks the arguments of those that are only noted. */
async function runBlock(block: Block): Promise<readonly string[]> {
  const { problems, started, env } = await world.run(shell, block);
  const noted: string[] = [];
  for (const { program, args } of started) noted.push(...((await programs[program]?.(args)) ?? []));
  return [...problems, ...noted, ...settingProblems(env)];
}

/** Variables that other programs read. */
const others = [
  "CONTEXT7_API_KEY",
  "FAULT_SECONDS",
  "ENDURANCE",
  "REQUIRE",
  "RECORD_HISTORIES",
  "SCREENSHOTS",
  "COMPOSE_FILE",
];

/** What the program says when it reads settings; files of secrets are on no machine of a test. */
function settingProblems(env: Readonly<Record<string, string>>): readonly string[] {
  const own = Object.entries(env).filter(([name]) => !others.includes(name));
  try {
    loadConfig(Object.fromEntries(own.filter(([name]) => !name.endsWith("_FILE"))));
  } catch (error) {
    return [String(error)];
  }
  return own.flatMap(([name]) => (settingNames.includes(name) ? [] : [`${name} is no setting.`]));
}

/** A configuration of an agent has to be what `lectern setup-client` writes, or to start a program that there is. */
async function configurationProblems(configuration: unknown): Promise<readonly string[]> {
  const url = `http://127.0.0.1:${settings.port.default}/mcp`;
  const written = Object.values(supportedAgents()).map(({ table, entry }) =>
    JSON.stringify({ [table]: { lectern: entry({ url, key: "variable" }) } }),
  );
  if (written.includes(JSON.stringify(configuration))) return [];
  const { mcpServers = {} } = configuration as { readonly mcpServers?: Readonly<Record<string, Starting>> };
  const [server] = Object.values(mcpServers);
  return server ? startingProblems(server) : ["No agent has such a configuration."];
}

/** A program that an agent starts. */
interface Starting {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

async function startingProblems({
  args: [program = "", ...args] = [],
  env = {},
}: Starting): Promise<readonly string[]> {
  if (program.endsWith("/cli/lectern.mjs"))
    return [...(await lecternProblems(args)), ...settingProblems({ ...env, LECTERN_API_KEY: "" })];
  // The other one is the published server of the hosted service.
  const source =
    textOf("node_modules/@upstash/context7-mcp/dist/index.js") +
    textOf("node_modules/@upstash/context7-mcp/dist/lib/constants.js");
  return [
    ...(args.includes("@upstash/context7-mcp") ? [] : [`${args.join(" ")} is not known.`]),
    ...Object.keys(env).flatMap((name) => (source.includes(name) ? [] : [`It does not read ${name}.`])),
  ];
}

/** A library manifest, a workflow that uses our action, a scrape or rule configuration of Prometheus, or a proxy in front of the default port. */
function yamlProblems({ text }: Block): readonly string[] {
  const parsed = parseYaml(text) as {
    readonly jobs?: Readonly<Record<string, { steps: readonly { uses: string; with?: object }[] }>>;
    readonly scrape_configs?: readonly {
      metrics_path?: string;
      static_configs: readonly { targets: readonly string[] }[];
    }[];
  };
  const { rule_files: rules, http } = parsed as { rule_files?: readonly string[]; http?: object };
  if ("libraries" in parsed)
    return parseManifestText(text).entries.flatMap(({ fields }) => {
      const form = manifestForms.find((one) => one.form.address in fields);
      return Object.keys(fields).filter((name) => form?.names.includes(name) !== true);
    });
  if (rules)
    return rules.flatMap((name) =>
      existsSync(join(root, "deploy/helm/lectern/files", name)) ? [] : [`There is no ${name}.`],
    );
  if (http) return JSON.stringify(http).includes(`:${settings.port.default}"`) ? [] : ["It leads to another port."];
  const { inputs } = parseYaml(textOf("deploy/github-action/action.yml")) as { readonly inputs: object };
  const given = Object.values(parsed.jobs ?? {}).flatMap(({ steps }) =>
    steps.flatMap((step) => Object.keys(step.with ?? {})),
  );
  const scraped = (parsed.scrape_configs ?? []).map(({ metrics_path: path = "/metrics" }) => path);
  if (given.length + scraped.length === 0) return ["There is no rule for such a file."];
  const served = routes.flatMap(({ path, aliases = [] }) => [path, ...aliases]);
  return [
    ...given.flatMap((name) => (name in inputs ? [] : [`The action has no input ${name}.`])),
    ...scraped.flatMap((path) => (served.includes(path) ? [] : [`Nothing is at ${path}.`])),
  ];
}

function shownProblems({ text }: Block): readonly string[] {
  const found = shown.find(([begins]) => begins.test(text));
  if (!found) return ["Say in `shown` what prints it."];
  const [, source, says = []] = found;
  if (source === undefined) return [];
  const program = textOf(source);
  return says.flatMap((part) =>
    program.includes(part) && text.includes(part) ? [] : [`${source} does not print ${part}`],
  );
}

function routeProblems(text: string): readonly string[] {
  const [method = "", address = ""] = text.split(" ");
  const path = address.replace(/\?.*/, "").replace(/^\/api(?=\/)/, "");
  const served = routes
    .filter((route) => route.method === method)
    .flatMap((route) => [route.path, ...(route.aliases ?? [])]);
  const pattern = (one: string) =>
    new RegExp(
      `^(?:/api)?${one
        .replace("/api", "")
        .replaceAll(".", "\\.")
        .replaceAll(/\{\w+\}/g, "[^/]+")}$`,
    );
  return served.some((one) => pattern(one).test(path)) ? [] : ["There is no such route."];
}

function jsonProblems(text: string): readonly string[] {
  const whole = text.startsWith("{") ? text : `{${text}}`;
  try {
    JSON.parse(whole.replaceAll(/\[…\]/g, "[]"));
  } catch (error) {
    return [String(error)];
  }
  return [];
}

/** The words of a command without variables, as a shell cuts it. */
function wordsIn(text: string): readonly string[] {
  return [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? "",
  );
}
