import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { connectOverHttp, textOf } from "../support/agent.ts";
import { adminKey, startLectern, temporaryFolder, type LecternProcess } from "../support/lectern-process.ts";

/** Two servers: `there` is the upstream of `here`. Both have widgets, only the upstream has gears. */
const folder = await temporaryFolder();
const docs = async (name: string, text: string): Promise<string> => {
  const path = join(folder.path, name);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "README.md"), text);
  return path;
};
const guide = (name: string, from: string) =>
  `# ${name}\n\nHow to make ${name} with the tools of ${from}, one after the other, in small steps.\n\n## Make ${name}\n\nCall make with the size that you want.\n\n\`\`\`js\nmake("${from} ${name}");\n\`\`\`\n`;

const there = await startLectern(join(folder.path, "there"), { FOLDER_ROOTS: folder.path, CACHE_MAX_AGE: "0" });
const here = await startLectern(join(folder.path, "here"), {
  FOLDER_ROOTS: folder.path,
  FETCH_ALLOW: "127.0.0.1",
  UPSTREAM_URL: `${there.url}/api`,
});
afterAll(async () => {
  await here.kill("SIGTERM");
  await there.kill("SIGTERM");
  await folder[Symbol.asyncDispose]();
});

const thereUrl = there.url;

const add = async (server: LecternProcess, name: string, from: string): Promise<void> => {
  const path = await docs(`${from}/${name}`, guide(name, from));
  const { body } = await server.call("POST", "/v2/add/folder", { path });
  await server.settled((body as { libraryName: string }).libraryName);
};
await add(there, "widgets", "upstream");
await add(there, "widgets-more", "upstream");
await add(there, "gears", "upstream");
await add(here, "widgets", "local");

interface SearchAnswer {
  readonly results: readonly { readonly id: string; readonly source: string }[];
}

const search = async (libraryName: string) => {
  const query = new URLSearchParams({ libraryName, query: "make some" }).toString();
  const { body } = await here.call("GET", `/v2/libs/search?${query}`);
  return (body as SearchAnswer).results.map(({ id, source }) => [id, source.replace(/\d+$/, "")]);
};
const ask = (libraryId: string, more: object = {}) =>
  here.call("GET", `/v2/context?${new URLSearchParams({ libraryId, query: "make gears", ...more }).toString()}`);
/** The upstream's own answer to callers without a key. */
const original = async (libraryId: string, more: object = {}): Promise<unknown> => {
  const query = new URLSearchParams({ libraryId, query: "make gears", ...more }).toString();
  const response = await fetch(`${there.url}/api/v2/context?${query}`);
  return response.headers.get("content-type") === "application/json" ? response.json() : response.text();
};
const turn = (enabled: boolean) => here.call("PATCH", "/v2/policies", { upstream: { enabled } });

const local = ["/docs/widgets", "folder"];
const beyond = (id: string) => [id, "upstream: 127.0.0.1:"];

describe("a server with another Lectern as its upstream", () => {
  it("sends nothing to it until an administrator turns it on, and then asks it for everybody of the teamspace", async () => {
    expect(await search("widgets")).toEqual([local]);
    expect((await ask("/docs/gears")).status).toBe(404);
    expect((await turn(true)).body).toMatchObject({ upstream: { enabled: true } });
    await expect.poll(() => search("widgets")).toEqual([local, beyond("/docs/widgets-more")]);
    expect(await search("gears")).toEqual([beyond("/docs/gears")]);
    const anonymous = await fetch(`${here.url}/api/v2/context?libraryId=/docs/gears&query=make+gears`);
    expect([anonymous.status, await anonymous.text()]).toEqual([200, await original("/docs/gears")]);
    await turn(false);
    expect(await search("gears")).toEqual([]);
    expect((await ask("/docs/gears")).status).toBe(404);
    await turn(true);
  });

  it("reads pages of its libraries, and says what is not there", async () => {
    const read = (libraryId: string, more: object) =>
      here.call("GET", `/v2/page?${new URLSearchParams({ libraryId, page: "README.md", ...more }).toString()}`);
    const { status, headers, body } = await read("/docs/gears", { section: "make-gears" });
    const there = await fetch(`${thereUrl}/api/v2/page?libraryId=/docs/gears&page=README.md&section=make-gears`);
    expect([status, headers.get("x-lectern-library"), body]).toEqual([200, "/docs/gears", await there.text()]);
    expect(body).toContain('make("upstream gears");');
    expect(await read("/docs/gears", { section: "nothing" })).toMatchObject({
      status: 404,
      body: { error: "page_not_found" },
    });
    expect(await read("/docs/gears", { type: "json" })).toMatchObject({
      status: 404,
      body: { error: "page_not_found" },
    });
    expect(await read("/docs/missing", {})).toMatchObject({ status: 404, body: { error: "library_not_found" } });
    expect((await read("/docs/widgets", {})).body).toContain('make("local widgets");');
  });

  it("passes both forms through as they are", async () => {
    const text = await ask("/docs/gears");
    expect(text.headers.get("x-lectern-library")).toBe("/docs/gears");
    expect(text.body).toBe(await original("/docs/gears"));
    expect(text.body).toContain('make("upstream gears");');
    const json = await ask("/docs/gears", { type: "json" });
    const withoutFigures = (body: unknown): unknown =>
      JSON.parse(JSON.stringify(body), (key, value: unknown) => (key.endsWith("Tokens") ? 0 : value));
    expect(withoutFigures(json.body)).toEqual(withoutFigures(await original("/docs/gears", { type: "json" })));
    const cached = await ask("/docs/gears");
    const again = await here.call("GET", "/v2/context?libraryId=/docs/gears&query=make+gears", undefined, {
      "If-None-Match": cached.headers.get("etag") ?? "",
    });
    expect(again.status).toBe(304);
  });

  it("answers from the local library if both have one", async () => {
    expect((await ask("/docs/widgets", { query: "make widgets" })).body).toContain('make("local widgets");');
  });

  it("gives agents the same by MCP", async () => {
    const headers = { Authorization: `Bearer ${adminKey}` };
    const agent = await connectOverHttp(`${here.url}/mcp`, "2026-07-28", headers);
    const resolved = await agent.callTool({
      name: "resolve-library-id",
      arguments: { libraryName: "gears", query: "make gears" },
    });
    expect(textOf(resolved)).toMatch(/Library ID: \/docs\/gears[^]*Source: upstream: 127\.0\.0\.1/);
    const answer = await agent.callTool({
      name: "query-docs",
      arguments: { libraryId: "/docs/gears", query: "make gears" },
    });
    expect(textOf(answer)).toBe((await ask("/docs/gears")).body);
    await agent.close();
  });

  it("answers 404 for a version or library that the upstream lacks too", async () => {
    expect((await ask("/docs/gears@v9")).body).toMatchObject({ error: "tag_not_found" });
    const missing = await ask("/docs/nothing");
    expect([missing.status, missing.body]).toEqual([404, expect.objectContaining({ error: "library_not_found" })]);
  });

  it("redirects to the new ID of a renamed library, on this server", async () => {
    await there.call("PATCH", "/v2/libs", { libraryName: "/docs/widgets-more", redirect: "/docs/gears" });
    const moved = await ask("/docs/widgets-more");
    expect([moved.status, moved.headers.get("location")]).toEqual([
      301,
      expect.stringMatching(/^context\?libraryId=%2Fdocs%2Fgears&/),
    ]);
    expect(moved.body).toMatchObject({ error: "library_redirected", redirectUrl: "/docs/gears" });
  });

  it("counts its requests in the metrics", async () => {
    const text = await (
      await fetch(`${here.url}/api/metrics`, { headers: { Authorization: `Bearer ${adminKey}` } })
    ).text();
    expect(text).toMatch(/lectern_upstream_duration_seconds_count\{operation="context",result="answered"[^}]*\} [1-9]/);
    expect(text).toMatch(/lectern_upstream_duration_seconds_count\{operation="context",result="refused"[^}]*\} [1-9]/);
  });

  it("still answers for local libraries when the upstream is gone, and 503 for others", async () => {
    await there.kill("SIGKILL");
    expect((await ask("/docs/widgets", { query: "make widgets" })).status).toBe(200);
    expect(await search("widgets")).toContainEqual(local);
    const gone = await ask("/docs/gears", { query: "what nobody has asked yet" });
    expect([gone.status, gone.body]).toEqual([503, expect.objectContaining({ error: "service_unavailable" })]);
    expect(gone.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(here.stderr()).toContain('"result":"failed"');
    expect(here.stderr()).not.toContain("nobody has asked");
  });
});
