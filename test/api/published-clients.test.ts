import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Context7 } from "@upstash/context7-sdk";
import { expect, it, onTestFinished, vi } from "vitest";

import { jsonAnswer } from "../../api/answers.ts";
import { connectAgent, connectOverHttp, revisions, textOf } from "../support/agent.ts";
import { amount } from "../support/endurance.ts";
import { startReverseProxy } from "../support/reverse-proxy.ts";
import { temporaryFolder } from "../support/lectern-process.ts";
import { runProgram } from "../support/programs.ts";
import { codePassage, prosePassage } from "./samples.ts";
import { serve } from "./serving.ts";
import { setup } from "./setup.ts";
import { signingIn } from "./signing-in.ts";

/**
 * The published clients of the hosted service against this server: what they show for each status is
 * this server's message. Each client has its own setting for the address.
 */
const modules = join(import.meta.dirname, "..", "..", "node_modules");
const query = "widget";

/** A server that answers a status, and the message that a client should show. */
interface Situation {
  readonly status: number;
  readonly libraryId: string;
  /** Without `/api`. */
  readonly base: string;
  readonly key: string;
  readonly code: string;
  readonly message: string;
}

/** Starts a server that answers a question with this status. */
async function prepare(status: number): Promise<Situation> {
  const { send, submit, finish, addKey, loaded, catalog, clock, app } = await setup({
    sendLocation: false,
    ...(status === 403 && { publicUrl: "https://docs.example.com" }),
    ...(status === 429 && { rateLimitReads: reads }),
  });
  await finish(await submit("/acme/widgets"), [codePassage, prosePassage]);
  await submit("/acme/new");
  await finish(await submit("/acme/old"), [codePassage]);
  await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/old", redirect: "/acme/widgets" } });
  const { key, id } = await addKey(["read"]);
  if (status === 401) await catalog.keys.revoke("default", id, clock.now);
  if (status === 503) loaded.clear();
  const { server } = await serve(status === 402 ? async () => unpaid : app);
  const base = status === 403 ? await startReverseProxy(server.url, "elsewhere.example") : server.url;
  const libraryId = { 202: "/acme/new", 301: "/acme/old", 404: "/no/such" }[status] ?? "/acme/widgets";
  const ask = () =>
    fetch(`${base}/api/v2/context?${new URLSearchParams({ libraryId, query }).toString()}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
  if (status === 429) for (let asked = 0; asked < reads; asked += 1) await ask();
  const answer = await ask();
  const text = await answer.text();
  expect(answer.status).toBe(status);
  const isJson = answer.headers.get("content-type") === "application/json";
  const { error, message } = isJson
    ? (JSON.parse(text) as { error: string; message: string })
    : { error: "", message: text };
  return { status, libraryId, base, key, code: error, message };
}

/** The limit of reads for status 429. */
const reads = 6;

/** The remaining seconds differ between answers. */
const steady = (text: string): string => text.replaceAll(/\d+ s\b/g, "… s");

/** A status of the hosted service that our server never answers. */
const unpaid = jsonAnswer({ error: "payment_required", message: "The plan of the team has ended. Renew it." }, {}, 402);

const statuses = [200, 202, 301, 401, 403, 404, 429, 503];

/** Statuses for which programs are started, as each takes half a second. */
const started = [...statuses, 402].filter((_, at) => at % amount({ short: 2, long: 1 }) === 0);

it.each(started)("the published MCP server shows the message of %s", async (status) => {
  const { base, key, libraryId, message } = await prepare(status);
  const program = join(modules, "@upstash", "context7-mcp", "dist", "index.js");
  const agent = await connectAgent(
    new StdioClientTransport({
      command: process.execPath,
      args: [program],
      env: { CONTEXT7_API_URL: `${base}/api`, CONTEXT7_API_KEY: key },
      stderr: "ignore",
    }),
    "2025-06-18",
  );
  const answer = await agent.callTool({ name: "query-docs", arguments: { libraryId, query } });
  expect(steady(textOf(answer))).toBe(steady(message));
  const resolved = await agent.callTool({ name: "resolve-library-id", arguments: { libraryName: "widgets", query } });
  if ([401, 402, 403, 429].includes(status)) expect(steady(textOf(resolved))).toBe(steady(message));
  else expect(textOf(resolved)).toContain("- Context7-compatible library ID: /acme/widgets\n");
});

it.each(started)("ctx7 shows the message of %s", async (status) => {
  const { base, key, libraryId, message } = await prepare(status);
  await using home = await temporaryFolder();
  const ctx7 = (...args: string[]) =>
    runProgram(join(modules, "ctx7", "dist", "index.js"), [...args, "--base-url", base], {
      env: { HOME: home.path, CONTEXT7_API_KEY: key, CTX7_TELEMETRY_DISABLED: "1", NO_COLOR: "1" },
      cwd: home.path,
    });
  const docs = await ctx7("docs", libraryId, query);
  expect(steady(docs.output)).toContain(status === 301 ? "/acme/widgets" : steady(message));
  expect(docs.code).toBe([200, 202].includes(status) ? 0 : 1);
  // Searches give only these statuses.
  if (![200, 401, 402, 403, 429].includes(status)) return;
  const search = await ctx7("library", "widgets", query);
  expect(steady(search.output)).toContain(status === 200 ? "/acme/widgets" : steady(message));
});

it.each([...statuses, 402])("the SDK returns or throws the message of %s", async (status) => {
  const { base, key, libraryId, code, message } = await prepare(status);
  // Its address is hard-coded.
  const originalFetch = globalThis.fetch;
  globalThis.fetch = (target, init) => originalFetch((target as string).replace("https://context7.com", base), init);
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  onTestFinished(() => {
    globalThis.fetch = originalFetch;
    warn.mockRestore();
  });
  const client = new Context7({ apiKey: key });
  const contextAs = async (type: "txt" | "json"): Promise<unknown> => {
    try {
      return await (type === "txt"
        ? client.getContext(query, libraryId, { type })
        : client.getContext(query, libraryId));
    } catch (error) {
      return (error as Error).message;
    }
  };
  const [text, list] = [await contextAs("txt"), await contextAs("json")];
  if (status === 200) {
    expect(text).toBe(message);
    expect(list).not.toHaveLength(0);
  } else if (status === 202) {
    expect(text).toBe(message);
    expect(list).toEqual([]);
  } else expect([text, list]).toEqual([code, code]);
});

it.each(statuses.flatMap((status) => revisions.map((revision) => ({ status, revision }))))(
  "an agent of revision $revision gets the message of $status",
  async ({ status, revision }) => {
    const { base, key, libraryId, message } = await prepare(status);
    const connecting = connectOverHttp(`${base}/mcp`, revision, { Authorization: `Bearer ${key}` });
    // These refuse the connection.
    if ([401, 403].includes(status)) {
      const error: unknown = await connecting.catch((refused: unknown) => refused);
      expect(steady(sentencesOf(error))).toContain(steady(message));
      return;
    }
    const answer = await (await connecting).callTool({ name: "query-docs", arguments: { libraryId, query } });
    expect(steady(textOf(answer))).toBe(steady(message));
    expect(answer.isError === true).toBe(status !== 200);
  },
);

/** The messages of an error, its causes and their answers. */
function sentencesOf(error: unknown): string {
  const messages: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) {
    messages.push(at.message);
    if ("data" in at) messages.push(JSON.stringify(at.data));
  }
  return messages.join(" ").replaceAll("\\", "");
}

it("ctx7 sets up an agent, which then works with this server", async () => {
  const { submit, finish, app } = await setup();
  await finish(await submit("/acme/widgets"), [codePassage, prosePassage]);
  const { server } = await serve(app);
  await using home = await temporaryFolder();
  const { code, output } = await runProgram(
    join(modules, "ctx7", "dist", "index.js"),
    ["setup", "--mcp", "--claude", "--yes", "--base-url", server.url],
    { env: { HOME: home.path, CTX7_TELEMETRY_DISABLED: "1", NO_COLOR: "1" }, cwd: home.path },
  );
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining("setup complete") as string });
  const written = JSON.parse(await readFile(join(home.path, ".claude.json"), "utf8")) as {
    mcpServers: { context7: { url: string } };
  };
  expect(written.mcpServers.context7.url).toBe(`${server.url}/mcp`);
  const agent = await connectOverHttp(written.mcpServers.context7.url, "2025-06-18");
  const answer = await agent.callTool({ name: "query-docs", arguments: { libraryId: "/acme/widgets", query } });
  expect(answer.isError).toBeUndefined();
});

it("ctx7 sets up an agent with a key if agents have to sign in, and asks for one otherwise", async () => {
  const { submit, finish, addKey, app } = await signingIn({ publicUrl: null });
  await finish(await submit("/acme/widgets"), [codePassage]);
  const { server } = await serve(app);
  await using home = await temporaryFolder();
  const { key } = await addKey(["read"]);
  const runSetup = async (...more: string[]) =>
    runProgram(
      join(modules, "ctx7", "dist", "index.js"),
      ["setup", "--mcp", "--claude", "--yes", "--base-url", server.url, ...more],
      { env: { HOME: home.path, CTX7_TELEMETRY_DISABLED: "1", NO_COLOR: "1" }, cwd: home.path },
    );
  expect(await runSetup()).toMatchObject({ code: 1, output: expect.stringContaining("Pass --api-key") as string });
  expect(await runSetup("--api-key", key)).toMatchObject({ code: 0 });
  const written = JSON.parse(await readFile(join(home.path, ".claude.json"), "utf8")) as {
    mcpServers: { context7: { url: string; headers: Record<string, string> } };
  };
  const { url, headers } = written.mcpServers.context7;
  const agent = await connectOverHttp(url, "2025-06-18", headers);
  const answer = await agent.callTool({ name: "query-docs", arguments: { libraryId: "/acme/widgets", query } });
  expect(answer.isError).toBeUndefined();
  await expect(connectOverHttp(url, "2025-06-18")).rejects.toThrow(/401|Unauthorized|API key/i);
});
