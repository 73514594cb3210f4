import { describe, expect, it } from "vitest";

import { revisions, textOf } from "../support/agent.ts";
import { start, widgets } from "./agents.ts";
import { codePassage } from "./samples.ts";
import { adminKey } from "./setup.ts";

/** A result as text, with a prefix if it is an error. */
function shown(result: Parameters<typeof textOf>[0]): string {
  return `${result.isError === true ? "error: " : ""}${textOf(result)}`;
}

/** Invalid arguments, and the beginning of their errors. */
const hostile: [string, unknown, string][] = [
  ["query-docs", {}, "query is missing."],
  ["query-docs", { query: "x", version: "v1" }, "version needs a libraryId."],
  ["query-docs", { libraryId: ["/acme/widgets"], query: { a: 1 } }, "libraryId must be text. query must be text."],
  ["query-docs", { libraryId: "../../etc/passwd", query: "x" }, '"../../etc/passwd" is not a library ID.'],
  ["query-docs", { libraryId: "/acme/wid\u0000gets", query: "x" }, '"/acme/wid'],
  ["query-docs", { ...widgets, query: "" }, "query must have 1 to 500 characters."],
  ["query-docs", { ...widgets, query: "x".repeat(501) }, "query must have 1 to 500 characters."],
  ["query-docs", { ...widgets, tokens: -1 }, "tokens must be a whole number from 1 to 100000."],
  ["query-docs", { ...widgets, tokens: 1e300 }, "tokens must be a whole number from 1 to 100000."],
  ["query-docs", { ...widgets, tokens: "9; DROP" }, "tokens must be a whole number from 1 to 100000."],
  ["query-docs", { ...widgets, version: "x".repeat(201) }, "version must have 1 to 200 characters."],
  ["query-docs", { ...widgets, libraryId: "/acme/widgets@v1", version: "v2" }, "Give the version in libraryId or"],
  ["query-docs", { ...widgets, version: "v1&type=json#" }, 'Version "v1&type=json#" of /acme/widgets is not known.'],
  ["resolve-library-id", { libraryName: 7, query: null }, "query must be text. libraryName must be text."],
  ["add-library", { address: "file:///etc/passwd" }, "address must be an absolute http or https address."],
  ["add-library", { address: "/srv/docs" }, "address must be an absolute http or https address."],
  ["add-library", { address: "https://user:secret@github.com/acme/one" }, "address must not contain credentials."],
  ["add-library", { address: "https://docs.example.com/", branch: "main" }, "branch is for repositories only."],
  ["add-library", { address: "https://github.com/a/b", libraryName: "/docs/x" }, "libraryName"],
  ["list-libraries", { limit: 0 }, "limit must be a whole number from 1 to 100."],
  ["list-libraries", { state: "constructor" }, "state must be one of"],
];

describe.each(revisions)("an agent of revision %s", (revision) => {
  it("resolves a library and queries it, at both addresses, with and without a key", async () => {
    const { connect, addKey, send } = await start();
    const { body: expected } = await send("GET", "/v2/context?libraryId=/acme/widgets&query=widget", { key: null });
    const { key } = await addKey(["read"]);
    for (const [path, given] of [
      ["/mcp", undefined],
      ["/api/mcp", key],
    ] as const) {
      const agent = await connect(revision, given, path);
      const { tools } = await agent.listTools();
      expect(tools.map(({ name }) => name)).toEqual([
        "resolve-library-id",
        "query-docs",
        "list-pages",
        "read-page",
        "report-answer",
      ]);
      const resolved = await agent.callTool({
        name: "resolve-library-id",
        arguments: { libraryName: "widgets", query: "make a widget" },
      });
      expect(textOf(resolved)).toContain("- Library ID: /acme/widgets\n");
      expect(resolved.structuredContent).toMatchObject({
        results: [{ id: "/acme/widgets" }],
        searchFilterApplied: false,
      });
      const answer = await agent.callTool({ name: "query-docs", arguments: widgets });
      expect(textOf(answer)).toBe(expected);
      expect(answer.structuredContent).toEqual({ libraryId: "/acme/widgets", documentation: expected });
    }
  });

  it("may send optional arguments as null or empty text, and use a trailing slash", async () => {
    const { connect, send, addKey } = await start();
    const { key } = await addKey(["submit"]);
    const { body: expected } = await send("GET", "/v2/context?libraryId=/acme/widgets&query=widget", { key: null });
    const agent = await connect(revision, key, "/mcp/");
    for (const none of [null, ""]) {
      const given = { ...widgets, version: none, tokens: none, userQuery: none };
      expect(textOf(await agent.callTool({ name: "query-docs", arguments: given }))).toBe(expected);
      const other = { libraryId: none, libraryName: "/acme/widgets", query: none, question: "widget", unknown: none };
      expect(textOf(await agent.callTool({ name: "query-docs", arguments: other }))).toBe(expected);
      const list = { search: none, state: none, limit: none, cursor: none };
      expect(textOf(await agent.callTool({ name: "list-libraries", arguments: list }))).toContain("/acme/widgets (");
      const address = `https://git.example.com/acme/more${String(none).length}.git`;
      const add = { address, libraryName: none, branch: none, private: none };
      expect(shown(await agent.callTool({ name: "add-library", arguments: add }))).toContain("Library ID: /acme/more");
    }
  });

  it("gets the answer of the library to which another one redirects", async () => {
    const { connect, submit, finish, send, counts } = await start();
    await finish(await submit("/acme/old"), [codePassage]);
    await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/old", redirect: "/acme/widgets" } });
    const agent = await connect(revision);
    const answer = await agent.callTool({ name: "query-docs", arguments: { ...widgets, libraryId: "/acme/old" } });
    expect(answer.structuredContent).toMatchObject({ libraryId: "/acme/widgets" });
    expect(counts.reads).toHaveLength(1);
  });

  it("adds a library, reads its status and refreshes it with a permitted key", async () => {
    const { connect, addKey, engine, finish } = await start();
    const { key } = await addKey(["submit"]);
    const agent = await connect(revision, key);
    const names = (await agent.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual([
      "resolve-library-id",
      "query-docs",
      "list-pages",
      "read-page",
      "report-answer",
      "add-library",
      "refresh-library",
      "library-status",
      "list-libraries",
    ]);
    const call = (name: string, given: Record<string, unknown>) => agent.callTool({ name, arguments: given });
    const added = await call("add-library", { address: "https://git.example.com/acme/gears.git", branch: "next" });
    expect(added.structuredContent).toMatchObject({ libraryId: "/acme/gears" });
    const libraryId = "/acme/gears";
    expect((await call("library-status", { libraryId })).structuredContent).toMatchObject({ state: "initial" });
    await finish(engine.started.at(-1)?.runId ?? "", [codePassage]);
    const { structuredContent } = await call("library-status", { libraryId });
    expect(structuredContent).toMatchObject({ libraryId, state: "finalized", live: { pages: 3, pagesFailed: 1 } });
    expect(shown(await call("refresh-library", { libraryId }))).toContain("Library ID: /acme/gears");
    expect(engine.started).toHaveLength(3);
    const list = await call("list-libraries", { search: "gears" });
    expect(list.structuredContent).toMatchObject({ libraries: [{ libraryId }], total: 1, next: null });
  });

  it("gets from each tool the error of its operation for the same caller", async () => {
    const { connect, addKey, send, submit, finish } = await start({ publicUrl: "https://docs.example.com" });
    await finish(await submit("/web/own"), [codePassage]);
    const keys = {
      none: null,
      read: (await addKey(["read"])).key,
      submit: (await addKey(["submit"])).key,
      limited: (await addKey(["submit"], { libraries: ["/other/*"] })).key,
    };
    const docsRepoUrl = "https://github.com/acme/more";
    const libraryId = "/web/own";
    const tools = [
      ["query-docs", { libraryId, query: "widget" }, "GET", `/v2/context?libraryId=${libraryId}&query=widget`],
      ["list-pages", { libraryId }, "GET", `/v2/pages?libraryId=${libraryId}&limit=200`],
      ["read-page", { libraryId, page: "README.md" }, "GET", `/v2/page?libraryId=${libraryId}&page=README.md`],
      ["report-answer", { libraryId, verdict: "wrong" }, "POST", "/v2/feedback", { libraryId, verdict: "wrong" }],
      ["add-library", { address: docsRepoUrl }, "POST", "/v2/add/repo/github", { docsRepoUrl }],
      ["refresh-library", { libraryId }, "POST", "/v1/refresh", { libraryName: libraryId }],
      ["library-status", { libraryId }, "GET", `/v2/libs/status?libraryId=${libraryId}`],
      ["list-libraries", {}, "GET", "/v2/libs"],
    ] as const;
    const statuses: string[] = [];
    for (const [caller, key] of Object.entries(keys)) {
      const agent = await connect(revision, key ?? undefined);
      for (const [name, given, method, target, body] of tools) {
        const answer = await agent.callTool({ name, arguments: given });
        const expected = await send(method, target, { key, ...(body && { body }) });
        // The tool has added the library already.
        const isOkay = expected.status === 200 || expected.status === 409;
        expect(answer.isError === true).toBe(!isOkay);
        if (!isOkay) expect(textOf(answer)).toBe((expected.body as { message: string }).message);
        statuses.push(`${caller} ${name} ${expected.status}`);
      }
    }
    expect(statuses).toEqual([
      "none query-docs 200",
      "none list-pages 200",
      "none read-page 200",
      "none report-answer 200",
      "none add-library 401",
      "none refresh-library 401",
      "none library-status 401",
      "none list-libraries 401",
      "read query-docs 200",
      "read list-pages 200",
      "read read-page 200",
      "read report-answer 200",
      "read add-library 403",
      "read refresh-library 403",
      "read library-status 200",
      "read list-libraries 200",
      "submit query-docs 200",
      "submit list-pages 200",
      "submit read-page 200",
      "submit report-answer 200",
      "submit add-library 409",
      "submit refresh-library 200",
      "submit library-status 200",
      "submit list-libraries 200",
      "limited query-docs 404",
      "limited list-pages 404",
      "limited read-page 404",
      "limited report-answer 404",
      "limited add-library 403",
      "limited refresh-library 404",
      "limited library-status 404",
      "limited list-libraries 200",
    ]);
  });

  it.each(hostile)("gets the errors of the arguments of %s: %j", async (name, given, sentence) => {
    const { connect, logged } = await start();
    const agent = await connect(revision, adminKey);
    const answer = await agent.callTool({ name, arguments: given as Record<string, unknown> });
    expect(shown(answer)).toContain(`error: ${sentence}`);
    expect(logged.filter((line) => line.includes("unexpected"))).toEqual([]);
  });

  it("gets no details of an unexpected error", async () => {
    const { connect, logged } = await start({}, { countRead: raise });
    const answer = await (await connect(revision)).callTool({ name: "query-docs", arguments: widgets });
    expect(shown(answer)).toMatch(/^error: Unexpected error\. Try again; .* request ID [\da-f-]+\.$/);
    expect(logged.filter((line) => line.includes("inside"))).toHaveLength(1);
  });

  it("gets the existing tools for an unknown one", async () => {
    const { connect } = await start();
    const calling = (await connect(revision)).callTool({ name: "no\nsuch", arguments: {} });
    await expect(calling).rejects.toThrow('There is no tool "no?such". There are resolve-library-id, query-docs,');
  });

  it("may use the argument names of the published server", async () => {
    const { connect } = await start();
    const agent = await connect(revision);
    const given = { context7CompatibleLibraryID: "/acme/widgets", question: "widget" };
    const answer = await agent.callTool({ name: "query-docs", arguments: given });
    expect(answer.structuredContent).toMatchObject({ libraryId: "/acme/widgets" });
  });

  it("has tool calls counted for the limits of their operations", async () => {
    const { connect, addKey } = await start({ rateLimitSubmissions: 1, rateLimitReads: 8 });
    const { key } = await addKey(["submit"]);
    const agent = await connect(revision, key);
    const add = async (name: string) =>
      shown(await agent.callTool({ name: "add-library", arguments: { address: `https://github.com/acme/${name}` } }));
    expect(await add("one")).not.toContain("error");
    expect(await add("two")).toMatch(/^error: Too many requests: 1 a minute are allowed\. Try again in \d+ s\.$/);
    const ask = () => agent.callTool({ name: "query-docs", arguments: widgets });
    await ask();
    // Messages have their own limit of the same size.
    await expect(Promise.all(Array.from({ length: 8 }, ask))).rejects.toThrow(/Too many requests: 8 a minute/);
  });
});

function raise(): never {
  throw new Error("The details inside.");
}
