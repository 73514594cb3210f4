import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";

import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { connectAgent, revisions, textOf, type Revision } from "../support/agent.ts";
import { adminKey, temporaryFolder } from "../support/lectern-process.ts";
import { runProgram } from "../support/programs.ts";
import { files, startServers } from "../e2e/setup.ts";

const program = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");
const libraryId = "/acme/widgets";

const servers = await startServers();
const repository = await servers.git.repository("acme/widgets.git", files);
await servers.add(repository.url, { libraryName: libraryId });
await servers.server.settled(libraryId);

/** An agent that starts `lectern mcp`. */
function start(revision: Revision, args: readonly string[], env: Record<string, string> = {}): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp", ...args],
    env: { PATH: process.env["PATH"] ?? "", INDEX_OWN_DOCS: "off", FETCH_ALLOW: "127.0.0.1", ...env },
    stderr: "ignore",
  });
  return connectAgent(transport, revision);
}

/** An address where nothing listens any more. */
async function closedAddress(): Promise<string> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}

const ask = async (agent: Client, given: object = {}) =>
  agent.callTool({ name: "query-docs", arguments: { libraryId, query: "make a widget", ...given } });

describe.each(revisions)("lectern mcp with an agent of revision %s", (revision) => {
  it("gives the same answers as a running server", async () => {
    const { server } = servers;
    const { body } = await server.call(
      "GET",
      `/v2/context?${new URLSearchParams({ libraryId, query: "make a widget" }).toString()}`,
    );
    const agent = await start(revision, ["--url", server.url], { LECTERN_API_KEY: adminKey });
    const { tools } = await agent.listTools();
    expect(tools.map(({ name }) => name)).toContain("add-library");
    expect(textOf(await ask(agent))).toBe(body);
    const missing = await ask(agent, { libraryId: "/no/such" });
    expect([missing.isError, textOf(missing)]).toEqual([
      true,
      'Library "/no/such" was not found. Check the ID, or whether your key may read it.',
    ]);
    await expect(agent.callTool({ name: "none", arguments: {} })).rejects.toThrow('There is no tool "none".');
  });

  it("says that the key is wrong, or that there is no server", async () => {
    const wrong = await start(revision, ["--url", servers.server.url], { LECTERN_API_KEY: "lct_wrong" });
    const answer = await ask(wrong);
    expect([answer.isError, textOf(answer)]).toEqual([
      true,
      expect.stringMatching(
        /^This server did not make the API key.* The key is taken from LECTERN_API_KEY\.$/,
      ) as string,
    ]);
    const address = await closedAddress();
    const disconnected = await start(revision, ["--url", address]);
    expect(textOf(await ask(disconnected))).toBe(
      `Connection to ${address}/api/mcp failed. Start the server, or set PUBLIC_URL to where it is.`,
    );
    await expect(disconnected.listTools()).rejects.toThrow(`Connection to ${address}/api/mcp failed.`);
  });

  it("indexes and answers from a data folder without a server", async () => {
    await using folder = await temporaryFolder();
    const first = await start(revision, ["--data", folder.path]);
    const added = await first.callTool({
      name: "add-library",
      arguments: { address: repository.url, libraryName: "/own/widgets" },
    });
    expect(added.structuredContent).toMatchObject({ libraryId: "/own/widgets" });
    await expect
      .poll(async () => {
        const status = await first.callTool({ name: "library-status", arguments: { libraryId: "/own/widgets" } });
        return (status.structuredContent as { state: string }).state;
      })
      .toBe("finalized");
    expect(textOf(await ask(first, { libraryId: "/own/widgets" }))).toContain("Make a widget");
    await first.close();
    // The library is kept for the next process.
    const second = await start(revision, ["--data", folder.path]);
    expect(textOf(await ask(second, { libraryId: "/own/widgets" }))).toContain("Make a widget");
    await second.close();
  });
});

it("exits with a message if a server uses the data folder", async () => {
  const { code, output } = await runProgram(program, ["mcp", "--data", servers.folder]);
  expect(code).toBe(1);
  expect(output).toMatch(
    /is in use by process \d+ .* If a server uses it, run (?:\S+ )?\S*lectern\S* mcp without --data\.\n$/,
  );
});

it("writes nothing but messages to standard output, and ends when the agent closes its input", async () => {
  const { output, code } = await runProgram(program, ["mcp", "--url", servers.server.url]);
  expect({ output, code }).toEqual({ output: "", code: 0 });
});
