import { describe, expect, it } from "vitest";
import type { PageList } from "../../api/answer-types.ts";
import { Failure } from "../../domain/failures.ts";
import type { Passage } from "../../domain/passage.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import { base, passagesIn, proseOf } from "../support/outlined.ts";
import { texts, passagesOf, reading } from "./pages-setup.ts";
import { setup } from "./setup.ts";

describe("GET /v2/pages", () => {
  it("lists pages with their sections and sizes in the order of the source", async () => {
    const { list } = await reading();
    const { headers, body } = await list();
    expect(headers).toMatchObject({ "Content-Type": "application/json", "X-Lectern-Library": "/acme/widgets" });
    const { pages, ...rest } = body as PageList;
    expect(rest).toEqual({ library: "/acme/widgets", total: 2, heldBack: 0, next: null });
    expect(
      pages.map(({ page, name, title, url, sections }) => [
        page,
        name,
        title,
        url,
        sections.map(({ section, title: heading, level }) => [section, heading, level]),
      ]),
    ).toEqual([
      [
        "docs/guide.md",
        "guide.md",
        "Guide",
        `${base}docs/guide.md`,
        [
          ["proxy", "Proxy", 1],
          ["options", "Options", 2],
          ["build", "Build", 1],
        ],
      ],
      ["docs/api.md", "api.md", "API", `${base}docs/api.md`, [["proxytable", "proxyTable", 1]]],
    ]);
    for (const { tokens, sections } of pages) {
      expect(tokens).toBeGreaterThan(0);
      for (const section of sections)
        expect(section).toMatchObject({ tokens: expect.any(Number), lines: [expect.any(Number), expect.any(Number)] });
    }
  });

  it.each([
    ["PROXY", ["guide.md", "api.md"]],
    ["proxytable", ["api.md"]],
    ["docs/", ["guide.md", "api.md"]],
    ["Guide", ["guide.md"]],
    ["nothing", []],
    // A text, not a pattern.
    [".*", []],
  ])("lists only pages with %j in their path, title or a heading", async (word, expected) => {
    const { listed } = await reading();
    const { pages, total } = await listed({ word });
    expect([pages.map(({ name }) => name), total]).toEqual([expected, expected.length]);
  });

  it("is paged, with all pages once, and refuses a cursor of another list", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 7 }, (_, at) => [`p${at}.md`, `# P${at}\n\n${proseOf(`p${at}`)}\n`]),
    );
    const { listed, list, refresh } = await reading(passagesOf(many));
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const part: PageList = await listed({ limit: "3", ...(cursor !== null && { cursor }) });
      expect(part.total).toBe(7);
      names.push(...part.pages.map(({ name }) => name));
      ({ next: cursor } = part);
    } while (cursor !== null);
    expect(names).toEqual(Object.keys(many));
    const { next } = await listed({ limit: "3" });
    await refresh(passagesOf(texts));
    for (const wrong of [next ?? "", "1.other", "x", "-1.x"])
      expect(await list({ cursor: wrong })).toMatchObject({ status: 400, body: { error: "validation_error" } });
  });

  it.each([
    ["limit=0", "limit must be a whole number from 1 to 1000."],
    ["limit=1001", "limit must be a whole number from 1 to 1000."],
    ["word=", "word must have 1 to 200 characters."],
  ])("refuses %s with a sentence", async (query, message) => {
    const { send } = await reading();
    expect(await send("GET", `/v2/pages?libraryId=/acme/widgets&${query}`)).toMatchObject({
      status: 400,
      body: { message },
    });
  });
});

describe.each(["pages?", "page?page=guide.md&", "page?page=guide.md&type=json&"])("GET /v2/%s", (path) => {
  const ask = (world: Pick<Awaited<ReturnType<typeof setup>>, "send">, libraryId: string, request = {}) =>
    world.send("GET", `/v2/${path}libraryId=${libraryId}`, { key: null, ...request });

  it("answers as a question to a library that is not there, moved, being indexed, failed or not allowed", async () => {
    const world = await reading();
    const { send, submit, finish, fail, addKey } = world;
    const message = expect.any(String) as string;
    await submit("/acme/new");
    await fail(await submit("/acme/failed"), "source_not_found", "It is gone.");
    await finish(await submit("/acme/old"), passagesOf(texts));
    await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/old", redirect: "/acme/widgets" } });
    const { key } = await addKey(["read"], { libraries: ["/other/*"] });
    const question = (libraryId: string, request: object) =>
      send(
        "GET",
        `/v2/context?libraryId=${libraryId}&query=x${path.includes("json") || path.startsWith("pages") ? "&type=json" : ""}`,
        { key: null, ...request },
      );
    for (const [libraryId, status, request] of [
      ["/acme/new", 202, {}],
      ["/acme/old", 301, {}],
      ["widgets", 400, {}],
      ["/acme/widgets", 401, { key: "wrong" }],
      ["/acme/widgets", 404, { key }],
      ["/acme/nothing", 404, {}],
      ["/acme/widgets/v9", 404, {}],
      ["/acme/failed", 404, {}],
    ] as const) {
      const answer = await ask(world, libraryId, request);
      expect(answer.status, libraryId).toBe(status);
      const expected = await question(libraryId, request);
      expect({ ...answer, headers: 0 }).toEqual({ ...expected, headers: 0 });
      if (status >= 400) expect(answer.body).toMatchObject({ error: message, message });
    }
  });

  it("answers 403 to a caller without the rights, as a question does", async () => {
    const world = await reading(passagesOf(texts), { publicUrl: "https://docs.example.com" });
    const request = { headers: { host: "elsewhere.example", origin: "https://elsewhere.example" } };
    const expected = await world.send("GET", "/v2/context?libraryId=/acme/widgets&query=x", { key: null, ...request });
    expect(expected.status).toBe(403);
    expect(await ask(world, "/acme/widgets", request)).toMatchObject({ status: 403, body: expected.body });
  });

  it("answers 503 while the pages are not listed yet, and has them listed once", async () => {
    const world = await reading();
    world.loaded.clear();
    const expected = { status: 503, body: { error: "index_rebuilding" } };
    expect(await ask(world, "/acme/widgets")).toMatchObject(expected);
    const again = await ask(world, "/acme/widgets");
    expect(again).toMatchObject(expected);
    expect(Number(again.headers["Retry-After"])).toBeGreaterThan(0);
    expect(world.lost).toEqual([world.run]);
    expect(world.counts.reads).toEqual([]);
  });

  it("answers 503 while the BlobStore is away", async () => {
    const away = () =>
      Promise.reject(new Failure("service_unavailable", "The bucket is out of reach.", { retryAfter: 5 }));
    const world = await reading();
    Object.assign(world.options.ports.pages, { outline: away });
    expect(await ask(world, "/acme/widgets")).toMatchObject({ status: 503, body: { error: "service_unavailable" } });
    expect(world.lost).toEqual([]);
  });

  it("confirms a cached answer with 304 until something changes, without reading the outline", async () => {
    const world = await reading();
    const { send, refresh, addKey } = world;
    const { headers } = await ask(world, "/acme/widgets");
    const tag = headers["ETag"] ?? "";
    expect(tag).toMatch(/^W\/"[\w-]{27}"$/);
    const cached = { headers: { "if-none-match": tag } };
    const { pages } = world.options.ports;
    const { outline } = pages;
    Object.assign(pages, { outline: () => Promise.reject(new Error("It must not be read.")) });
    expect(await ask(world, "/acme/widgets", cached)).toMatchObject({
      status: 304,
      body: null,
      headers: { ETag: tag },
    });
    Object.assign(pages, { outline });
    const { key } = await addKey(["read"], { libraries: ["/other/*"] });
    expect((await ask(world, "/acme/widgets", { ...cached, key })).status).toBe(404);
    for (const more of path.startsWith("pages")
      ? ["limit=2", "word=guide"]
      : ["tokens=300", "section=proxy", "from=1", path.includes("json") ? "type=txt" : "type=json"]) {
      if (more.startsWith("type")) continue;
      expect(
        (await send("GET", `/v2/${path}libraryId=/acme/widgets&${more}`, { key: null, ...cached })).status,
        more,
      ).toBe(200);
    }
    await refresh(passagesOf(texts));
    expect((await ask(world, "/acme/widgets", cached)).status).toBe(200);
  });

  it("counts as a read, also if it is cached, but not if the page is not there", async () => {
    const world = await reading();
    const { counts, send } = world;
    const { headers } = await ask(world, "/acme/widgets");
    expect(counts.reads).toHaveLength(1);
    await ask(world, "/acme/widgets", { headers: { "if-none-match": headers["ETag"] ?? "" } });
    expect(counts.reads).toHaveLength(2);
    expect(counts.answered).toBe(0);
    if (path.startsWith("page?")) {
      await send("GET", `/v2/${path.replace("guide.md", "none.md")}libraryId=/acme/widgets`);
      expect(counts.reads).toHaveLength(2);
      expect(counts.answers).toMatchObject([{ surface: path.includes("json") ? "page" : "txt", topic: "Guide" }]);
    } else expect(counts.answers).toEqual([]);
  });

  it("counts for the limit of reads", async () => {
    const world = await reading(passagesOf(texts), { rateLimitAnonymous: 2 });
    const statuses: number[] = [];
    for (let at = 0; at < 3; at += 1) statuses.push((await ask(world, "/acme/widgets")).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it("reads a version, and one that a range stands for", async () => {
    const world = await reading();
    const { send, catalog, finish, engine } = world;
    const view = await catalog.libraries.find([""], "/acme/widgets", "");
    await catalog.libraries.keepRefs(view?.library.uid ?? "", [{ name: "v1.2.0", kind: "tag", revision: "abc" }]);
    expect((await ask(world, "/acme/widgets/v1.2.0")).status).toBe(404);
    expect((await send("GET", "/v2/context?libraryId=/acme/widgets/v1.2.0&query=a")).status).toBe(202);
    await finish(
      engine.started.at(-1)?.runId ?? "",
      passagesIn("docs/guide.md", `# Old guide\n\n${proseOf("the old one")}\n`),
    );
    for (const version of ["/v1.2.0", "@v1.2.0", "@1.x", "@^1.0.0"]) {
      const { status, headers, body } = await ask(world, `/acme/widgets${encodeURIComponent(version)}`);
      expect([status, headers["X-Lectern-Library"]]).toEqual([200, "/acme/widgets@v1.2.0"]);
      expect(JSON.stringify(body)).toContain("Old guide");
      const isRange = version.includes("1.x") || version.includes("^");
      if (path.startsWith("page?"))
        expect(JSON.stringify(body).includes('which \\"') || JSON.stringify(body).includes('"version":')).toBe(isRange);
    }
  });
});

describe("rules", () => {
  const rules = ["Use v2.", "Never call `new Widget`."];

  it("come before a page, and are in its JSON form, and invalidate cached answers", async () => {
    const { text, json, read, send } = await reading();
    const before = await read();
    await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/widgets", rules } });
    const after = await read({}, { headers: { "if-none-match": before.headers["ETag"] ?? "" } });
    expect(after.body).toBe(
      `Rules for /acme/widgets, set by the administrators of this server:\n\n- Use v2.\n- Never call \`new Widget\`.\n\n${"-".repeat(32)}\n\n${before.body as string}`,
    );
    expect(await json()).toMatchObject({ rules: { libraryTeam: rules } });
    expect(estimateTokens(await text({ tokens: "400" }))).toBeLessThanOrEqual(400);
  });
});

describe("a folder", () => {
  it("hides the path on the disk from callers who may not change it", async () => {
    const { send, finish, engine, addKey } = await setup();
    await send("POST", "/v2/add/folder", { body: { path: "/srv/docs/team" } });
    const passages = passagesOf(texts).map((passage): Passage => {
      const disk = (url: string) => url.replace(base, "file:///srv/docs/team/");
      const blocks = passage.blocks.map((block) =>
        block.type === "code" ? { ...block, url: disk(block.url) } : block,
      );
      return {
        ...passage,
        blocks,
        page: { ...passage.page, url: disk(passage.page.url) },
        source: { ...passage.source, url: disk(passage.source.url) },
      };
    });
    const run = engine.started.at(-1);
    await finish(run?.runId ?? "", passages);
    const id = run?.libraryId ?? "";
    const { key } = await addKey(["read"]);
    for (const path of [
      "pages?",
      "page?page=guide.md&",
      "page?page=guide.md&type=json&",
      "page?page=guide.md&from=99&type=json&",
      "page?page=none.md&",
      "context?query=Sentence&",
      "context?query=Sentence&type=json&",
    ]) {
      const asked = async (given: string | null) =>
        JSON.stringify((await send("GET", `/v2/${path}libraryId=${id}`, { key: given })).body);
      for (const given of [key, null]) {
        const body = await asked(given);
        expect(body, path).not.toMatch(/file:|\/srv/);
        expect(body, path).toContain("guide.md");
      }
      if (path.startsWith("page?page=guide.md&type") || path === "pages?")
        expect(await asked(undefined as never)).toContain("file:///srv/docs/team/docs/guide.md");
    }
    // Nor is a guess at it confirmed.
    const guess = new URLSearchParams({ libraryId: id, page: "file:///srv/docs/team/docs/guide.md" }).toString();
    expect((await send("GET", `/v2/page?${guess}`)).status).toBe(200);
    for (const given of [key, null]) expect((await send("GET", `/v2/page?${guess}`, { key: given })).status).toBe(404);
  });
});
