import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { connectAgent, connectOverHttp, textOf } from "../support/agent.ts";
import { startGitServer } from "../support/git-server.ts";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { installPacked, pack } from "../support/packed.ts";
import { startSite } from "../support/site.ts";

const chromium = inject("chromium");
const registry = inject("registry");
const run = promisify(execFile);

const widgets = { libraryId: "/acme/widgets", query: "How do I make widgets?" };

/** The official client, connected as Claude Code is by what stands in its configuration. */
function connectConfigured(file: string, env: NodeJS.ProcessEnv): Promise<Client> {
  const text = readFileSync(file, "utf8").replaceAll(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? "");
  const { mcpServers } = JSON.parse(text) as { mcpServers: { lectern: Configured } };
  const { lectern: server } = mcpServers;
  if ("url" in server) return connectOverHttp(server.url, "2025-06-18", server.headers);
  const given = { PATH: env["PATH"] ?? "", ...server.env };
  return connectAgent(new StdioClientTransport({ ...server, env: given, stderr: "ignore" }), "2025-06-18");
}

type Configured =
  | { readonly url: string; readonly headers: Record<string, string> }
  | { readonly command: string; readonly args: string[]; readonly env: Record<string, string> };

describe("the packed program", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let tarball: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
    tarball = pack(folder.path);
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  it("makes the bundle that workers start from", async () => {
    const installed = installPacked(tarball, join(folder.path, "cluster"), { peers: true });
    await run(process.execPath, [join(installed, "cli", "lectern.mjs"), "worker", "--bundle"]);
    const made = readdirSync(join(installed, "node_modules", ".cache", "lectern"));
    expect(made).toContainEqual(expect.stringMatching(/^workflows-[\da-f]{32}\.js$/));
  });

  it.skipIf(chromium === null)("reads pages in a browser", async () => {
    const installed = installPacked(tarball, join(folder.path, "browser"), { peers: false });
    const data = await temporaryFolder();
    const env = { FETCH_ALLOW: "127.0.0.1", CHROMIUM_PATH: chromium ?? "" };
    const server = await startLectern(data.path, env, join(installed, "cli", "lectern.mjs"));
    const main = `<main><h1>Gadgets</h1><p>${"How to turn a gadget on, in words enough. ".repeat(10)}</p><pre><code>turnOn();</code></pre></main>`;
    const site = await startSite({
      "/": `<!doctype html><title>Gadgets</title><div id="root"></div><script>document.getElementById("root").innerHTML = ${JSON.stringify(main).replaceAll("<", "\\u003c")};</script>`,
    });
    onTestFinished(async () => {
      await server.kill("SIGTERM");
      await site.close();
      await data[Symbol.asyncDispose]();
    });
    const libraryName = "/websites/gadgets";
    await server.call("POST", "/v2/add/website", { websiteUrl: `${site.origin}/`, libraryName });
    expect(await server.settled(libraryName)).toMatchObject({ state: "finalized", live: { counts: { code: 1 } } });
  });

  it.skipIf(registry === null)(
    "is installed in an empty folder, runs, takes a repository, answers, and connects a client",
    async () => {
      const started = performance.now();
      const project = join(folder.path, "newcomer");
      mkdirSync(project);
      writeFileSync(join(project, "package.json"), "{}");
      const git = await startGitServer();
      onTestFinished(() => git.close());
      const repository = await git.repository("acme/widgets.git", {
        "README.md": "# Widgets\n\nHow to make widgets:\n\n```js\nmakeWidget();\n```\n",
      });
      const at = { cwd: project, env: { ...process.env, FETCH_ALLOW: "127.0.0.1", PORT: "0", INDEX_OWN_DOCS: "off" } };
      await run("npm", ["install", "--no-audit", "--no-fund", tarball], at);
      const server = spawn("npx", ["lectern", "serve"], {
        ...at,
        detached: true,
        stdio: ["ignore", "pipe", "ignore"],
      });
      onTestFinished(async () => {
        process.kill(-(server.pid ?? 0), "SIGTERM");
        await once(server, "close");
      });
      let log = "";
      const [key, url] = await new Promise<readonly [string, string]>((resolve) => {
        server.stdout.setEncoding("utf8").on("data", (text: string) => {
          log += text;
          const [, first = "", running] = /admin key (\S+)[^]*running at (\S+)/.exec(log) ?? [];
          if (running !== undefined) resolve([first, running]);
        });
      });
      const asUser = { ...at, env: { ...at.env, PUBLIC_URL: url, LECTERN_ADMIN_KEY: key } };
      await run("npx", ["lectern", "add", repository.url, "--name", "/acme/widgets"], asUser);
      const { stdout } = await run("npx", ["lectern", "ask", "/acme/widgets", "How do I make widgets?"], asUser);
      expect(stdout).toContain("makeWidget();");
      await using home = await temporaryFolder();
      const connecting = { ...asUser, env: { ...asUser.env, HOME: home.path, LECTERN_API_KEY: key } };
      await run("npx", ["lectern", "setup-client", "claude"], connecting);
      const agent = await connectConfigured(join(home.path, ".claude.json"), connecting.env);
      const answer = await agent.callTool({ name: "query-docs", arguments: widgets });
      expect(textOf(answer)).toContain("makeWidget();");
      process.stdout.write(`A newcomer's path took ${Math.round((performance.now() - started) / 1000)} s.\n`);
      await run("npx", ["lectern", "setup-client", "claude", "--stdio"], connecting);
      const starting = await connectConfigured(join(home.path, ".claude.json"), connecting.env);
      expect(await starting.callTool({ name: "query-docs", arguments: widgets })).toEqual(answer);
      // npm fetches some 250 MB of packages.
    },
    600_000,
  );
});
