import { noCheckpoint, noUpload, nothingEarlier } from "../../support/nothing-earlier.ts";
import { createServer, request as ask } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFetchClient } from "../../../sources/lib/fetch/client.ts";
import { createGuard } from "../../../sources/lib/fetch/guard.ts";
import type { ProxySettings } from "../../../sources/lib/fetch/proxy.ts";
import { pool } from "../../support/pool.ts";
import { createGitSource } from "../../../sources/git/index.ts";
import type { SourceItem } from "../../../domain/ports.ts";
import { startGitServer } from "../../support/git-server.ts";
import { folderOfTest } from "../../support/of-test.ts";
import { outline } from "./setup.ts";
import { gitSpec } from "../../support/git-spec.ts";

/** Reads a repository at a host that only `lookup` or the proxy knows. */
async function readFrom(
  url: string,
  proxies: ProxySettings,
  lookup: () => Promise<readonly { address: string; family: number }[]>,
): Promise<SourceItem[]> {
  const guard = createGuard({ allow: [new URL(url).host], lookup });
  const client = createFetchClient({ guard, userAgent: "Lectern test", proxies });
  onTestFinished(() => client.close());
  const scratch = await folderOfTest();
  const source = createGitSource({ client, guard, pool, extensions: [".md"] });
  const spec = gitSpec(url);
  const context = {
    signal: new AbortController().signal,
    credential: null,
    earlier: nothingEarlier,
    checkpoint: noCheckpoint,
    upload: noUpload,
    scratch,
    known: () => undefined,
    pages: () => undefined,
    limits: { pages: 10, bytes: 1000, pageBytes: 100 },
  };
  const state = await source.resolve(spec, null, context);
  const items: SourceItem[] = [];
  for await (const item of source.read(spec, state, context)) items.push(item);
  return items;
}

describe("reading", () => {
  it("connects to the addresses that were checked, without another lookup", async () => {
    const server = await startGitServer();
    onTestFinished(() => server.close());
    await server.repository("acme/widgets", { "README.md": "# Hi" });
    const url = `http://git.example.invalid:${server.host.split(":")[1]}/acme/widgets`;
    const direct = { http: undefined, https: undefined, except: "" };
    const items = await readFrom(url, direct, async () => [{ address: "127.0.0.1", family: 4 }]);
    expect(outline(items)).toEqual({ "README.md": "# Hi" });
  });

  it("goes through the proxy of the environment, which resolves the name", async () => {
    const server = await startGitServer();
    onTestFinished(() => server.close());
    await server.repository("acme/widgets", { "README.md": "# Hi" });
    const seen: string[] = [];
    const proxy = createServer((request, response) => {
      const target = new URL(request.url ?? "");
      seen.push(`${request.method} ${target.host}`);
      const { method, headers } = request;
      const forwarded = ask(`${server.url}${target.pathname}${target.search}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(forwarded);
    });
    proxy.listen(0, "127.0.0.1");
    await new Promise((resolve) => proxy.once("listening", resolve));
    onTestFinished(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    const proxies = { http: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, https: undefined, except: "" };
    const lookup = (): never => {
      throw new Error("Nothing is resolved here: the proxy does that.");
    };
    const items = await readFrom("http://git.example.invalid/acme/widgets", proxies, lookup);
    expect(outline(items)).toEqual({ "README.md": "# Hi" });
    expect(new Set(seen)).toEqual(new Set(["GET git.example.invalid", "POST git.example.invalid"]));
    expect(seen).toHaveLength(server.requests.length);
  });
});
