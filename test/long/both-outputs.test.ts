import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commands } from "../../cli/commands.ts";
import { exitCodes } from "../../cli/output.ts";
import {
  inPipe,
  onTerminal,
  type CommandOptions,
  type CommandResult,
  type CommandRow,
} from "../support/command-line.ts";
import { amount } from "../support/endurance.ts";
import { files, startServers } from "../e2e/setup.ts";

/** Output and exit code of every command, in a pipe and on a pseudo-terminal. */
const { git, server, folder, add } = await startServers();
const { url } = await git.repository("acme/gears.git", files);
const { host } = new URL(url);
await add(url, { libraryName: "/acme/gears" });
await server.settled("/acme/gears");
const other = join(folder, "other");
await mkdir(other);
const exported = join(folder, "gears.ndjson");
const saved = join(folder, "saved");
const policy = join(folder, "policy.json");
const manifest = join(folder, "libraries.yaml");
await writeFile(manifest, "libraries: []");

const call = async (method: string, path: string, body: object): Promise<Record<string, unknown>> =>
  (await server.call(method, path, body)).body as Record<string, unknown>;
const idOf = async (path: string, body: object): Promise<string> => String((await call("POST", path, body))["id"]);
const credential = () =>
  idOf("/v2/credentials", { kind: "git", name: crypto.randomUUID(), host, data: { token: "s3cr3t" } });
const hook = () => idOf("/v2/hooks", { sender: "github", repositories: "https://git.example.com/acme" });
const receiver = () => idOf("/v2/receivers", { url: `${server.url}/api/health` });
/** Prints the same on a terminal and in a pipe. */
const both = (text: RegExp) => ({ terminal: text, pipe: text });
const lacksCluster = { terminal: /DATABASE_URL/, pipe: /DATABASE_URL/, code: exitCodes.wrongUse };
/** A second server, which is stopped once it runs: by Ctrl-C on a terminal, else by SIGTERM. */
const stopped: CommandOptions = {
  env: { DATA_DIR: other, PORT: "0", INDEX_OWN_DOCS: "off", PUBLIC_URL: "" },
  prompt: "running at",
  input: "\u0003",
  watch: (printed, child) =>
    void (child.spawnfile !== "script" && printed.includes("running at") && child.kill("SIGTERM")),
};

const rows: Readonly<Record<string, CommandRow>> = {
  add: {
    args: () => ["add", url, "--name", `/acme/${crypto.randomUUID()}`],
    terminal: /is ready/,
    pipe: /^\{"event":"submitted"/,
  },
  preview: { args: () => ["preview", url], terminal: /docs\/guide\.md/, pipe: /docs\/guide\.md/ },
  list: { args: () => ["list"], terminal: /^\/acme\/\S+ +finalized/m, pipe: /^\{"libraryId":"\/acme\// },
  status: { args: () => ["status", "/acme/gears"], terminal: /state +finalized/, pipe: /^\{.*"state":"finalized"/ },
  ask: { args: () => ["ask", "/acme/gears", "make a widget"], terminal: /Source: /, pipe: /Source: / },
  pages: {
    args: () => ["pages", "/acme/gears"],
    terminal: /^\/acme\/gears has \d+ pages?:\n- \S+/m,
    pipe: /^\{.*"name":/,
  },
  read: { args: () => ["read", "/acme/gears", "docs/guide.md"], terminal: /Source: /, pipe: /Source: / },
  search: { args: () => ["search", "gears"], terminal: /^\/acme\/gears/m, pipe: /^\{.*"id":"\/acme\/gears"/m },
  refresh: { args: () => ["refresh", "/acme/gears"], terminal: /is ready, as before/, pipe: /"outcome":"unchanged"/ },
  delete: {
    before: async () => {
      const id = `/acme/${crypto.randomUUID()}`;
      await add(url, { libraryName: id });
      await server.settled(id);
      return id;
    },
    args: (id) => ["delete", id, "--yes"],
    ...both(/was deleted/),
  },
  keys: { args: () => ["keys"], terminal: /There is no|read|submit|admin/, pipe: /^(?:\{.*\}\n)*\n?$/ },
  "keys create": {
    args: () => ["keys", "create", "one"],
    terminal: /^lct_\S+ +\(shown this once/,
    pipe: /^\{.*"key":"lct_/,
  },
  "keys revoke": {
    before: () => idOf("/v2/keys", { name: "two", scopes: ["read"] }),
    args: (id) => ["keys", "revoke", id, "--yes"],
    ...both(/The key was revoked\./),
  },
  repositories: {
    args: () => ["repositories", "https://git.example.com/acme"],
    ...both(/GITHUB_HOSTS/),
    code: exitCodes.wrongUse,
  },
  credentials: {
    before: credential,
    args: () => ["credentials"],
    terminal: /git {2}127\.0\.0\.1/,
    pipe: /^\{.*"host":"127/,
  },
  "credentials create": {
    args: () => ["credentials", "create", "acme", host],
    ...both(/--token-stdin/),
    code: exitCodes.wrongUse,
  },
  "credentials test": {
    before: credential,
    args: (id) => ["credentials", "test", id, url],
    terminal: /acme\/gears/,
    pipe: /^\{.*"ok":true/,
  },
  "credentials delete": {
    before: credential,
    args: (id) => ["credentials", "delete", id, "--yes"],
    ...both(/was deleted/),
  },
  apply: {
    args: () => ["apply", manifest],
    terminal: /0 libraries added/,
    pipe: /^\{.*"libraries":\[\]/,
  },
  manifests: { args: () => ["manifests"], terminal: /libraries {2}0/, pipe: /^\{.*"name":"libraries"/ },
  hooks: {
    before: hook,
    args: () => ["hooks"],
    terminal: /github {2}git\.example\.com/,
    pipe: /^\{.*"sender":"github"/,
  },
  "hooks create": {
    args: () => ["hooks", "create", "gitlab", "https://git.example.com/acme"],
    terminal: /secret {2}\S{40}/,
    pipe: /^\{.*"url":"http/,
  },
  "hooks delete": {
    before: hook,
    args: (id) => ["hooks", "delete", id, "--yes"],
    ...both(/was deleted/),
  },
  receivers: {
    before: receiver,
    args: () => ["receivers"],
    terminal: /0 waiting {2}nothing sent yet/,
    pipe: /^\{.*"waiting":0/,
  },
  "receivers create": {
    args: () => ["receivers", "create", `${server.url}/api/health`, "--event", "library.failed"],
    terminal: /was added\..*whsec_\S+ +\(shown this once/,
    pipe: /^\{.*"events":\["library\.failed"\].*"secret":"whsec_/,
  },
  "receivers test": {
    before: receiver,
    args: (id) => ["receivers", "test", id],
    terminal: /It answered 405\./,
    pipe: /^\{.*"ok":false/,
    code: exitCodes.failed,
  },
  "receivers delete": {
    before: receiver,
    args: (id) => ["receivers", "delete", id, "--yes"],
    ...both(/was deleted/),
  },
  feedback: {
    before: async () => {
      await call("POST", "/v2/feedback", { libraryId: "/acme/gears", verdict: "wrong", comment: "They turn left." });
      return "";
    },
    args: () => ["feedback", "/acme/gears"],
    terminal: /wrong .*They turn left\./,
    pipe: /^\{.*"comment":"They turn left\."/,
  },
  notes: { args: () => ["notes", "/acme/gears"], terminal: /There is no note|Ours/, pipe: /^\{.*"text":"/ },
  "notes set": {
    before: async () => {
      await writeFile(policy, "Ours.\n");
      return policy;
    },
    args: (file) => ["notes", "set", "/acme/gears", file],
    terminal: /The note goes with answers/,
    pipe: /"message":"The note goes with answers/,
  },
  access: { args: () => ["access"], terminal: /allow/, pipe: /^\{.*"default":"allow"/ },
  "access set": {
    args: () => ["access", "set", "/acme/closed", "--group", "staff"],
    terminal: /staff/,
    pipe: /"groups":\["staff"\]/,
  },
  "access remove": {
    before: async () => {
      await call("PATCH", "/v2/access", { set: [{ library: "/acme/removed", groups: ["staff"] }] });
      return "/acme/removed";
    },
    args: (id) => ["access", "remove", id],
    terminal: /allow/,
    pipe: /"default":"allow"/,
  },
  "access groups": { args: () => ["access", "groups"], terminal: /group|writers/i, pipe: /^(?:\{.*\}\n)*\n?$/ },
  "access grant": {
    args: () => ["access", "grant", "writers", "--scope", "submit"],
    terminal: /writers/,
    pipe: /"group":"writers"/,
  },
  "access withdraw": {
    before: async () => {
      const group = crypto.randomUUID();
      await call("POST", "/v2/access/groups", { group, scope: "read" });
      return group;
    },
    args: (group) => ["access", "withdraw", group],
    ...both(/no rights/),
  },
  policies: { args: () => ["policies"], terminal: /public_repos/, pipe: /^\{.*"public_repos"/ },
  "policies change": {
    before: async () => {
      await writeFile(policy, JSON.stringify({ sourceTypes: { enable: ["websites"] } }));
      return policy;
    },
    args: (file) => ["policies", "change", file],
    terminal: /websites/,
    pipe: /^\{.*"websites"/,
  },
  audit: {
    args: () => ["audit", "--limit", "5"],
    terminal: /library\.submit|key\.create|done/,
    pipe: /^\{.*"action":/,
  },
  doctor: { args: () => ["doctor"], terminal: /✔ git/, pipe: /^\{"check":"/ },
  export: {
    args: () => ["export", "/docs/none"],
    ...both(/has nothing live to export/),
    code: exitCodes.failed,
    options: { env: { DATA_DIR: other } },
  },
  import: {
    before: async () => {
      await writeFile(exported, "no export\n");
      return exported;
    },
    args: (file) => ["import", file],
    ...both(/export/),
    code: exitCodes.wrongUse,
    options: { env: { DATA_DIR: other } },
  },
  backup: {
    args: () => ["backup", saved],
    terminal: /^Backup 2\S+: \d+ generations? of .* are new\.\nIt has the encryption keys/m,
    pipe: /^\{"id":"2.*"keys":true/,
    options: { env: { DATA_DIR: folder } },
  },
  restore: {
    args: () => ["restore", saved, "--check"],
    terminal: /is complete: .* agree with their hashes\./,
    pipe: /^\{"id":"2.*"checked":true/,
  },
  reindex: {
    args: () => ["reindex"],
    ...both(/0 live generations/),
    options: { env: { DATA_DIR: other } },
  },
  serve: {
    args: () => ["serve"],
    ...both(/running at http/),
    options: stopped,
    // It prints its address before it handles signals: until then Ctrl-C ends it at once.
    codes: [exitCodes.done, exitCodes.interrupted],
  },
  setup: {
    args: () => ["setup"],
    ...both(/Everything is set up/),
    options: { env: { DATA_DIR: other } },
  },
  api: { args: () => ["api"], ...lacksCluster },
  worker: { args: () => ["worker"], ...lacksCluster },
  "setup-client": { args: () => ["setup-client", "claude", "--dry-run"], terminal: /mcpServers/, pipe: /mcpServers/ },
  mcp: {
    args: () => ["mcp", "--data", folder],
    ...both(/in use by process/),
    code: exitCodes.failed,
  },
  completion: { args: () => ["completion", "bash"], terminal: /lectern complete/, pipe: /lectern complete/ },
};

it("has every command", () => {
  expect(Object.keys(rows).toSorted()).toEqual(Object.keys(commands).toSorted());
});

async function runRow(run: typeof inPipe, { args, before, options }: CommandRow): Promise<CommandResult> {
  const id = (await before?.()) ?? "";
  return run(args(id), { ...options, env: { PUBLIC_URL: server.url, ...options?.env } });
}

it.each(Object.entries(rows))("lectern %s prints in a pipe", async (_name, row) => {
  const { code, stdout, stderr } = await runRow(inPipe, row);
  expect({ code, printed: `${stdout}${stderr}` }).toEqual({
    code: row.code ?? 0,
    printed: expect.stringMatching(row.pipe) as string,
  });
});

// A quarter of them, as each takes three processes, and command-line.test.ts has the most frequent ones.
const onTerminals = Object.entries(rows).filter((_, at) => at % amount({ short: 4, long: 1 }) === 0);

it.each(onTerminals)("lectern %s prints on a terminal", async (_name, row) => {
  const { code, stdout } = await runRow(onTerminal, row);
  expect(stdout).toMatch(row.terminal);
  expect(row.codes ?? [row.code ?? 0]).toContain(code);
});
