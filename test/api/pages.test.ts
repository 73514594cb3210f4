import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ApiAnswer } from "../../api/answers.ts";
import type { PageList, ReadPage } from "../../api/answer-types.ts";
import { Failure } from "../../domain/failures.ts";
import type { Passage } from "../../domain/passage.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import { base, held, passagesIn, proseOf } from "../support/outlined.ts";
import { setup } from "./setup.ts";

const guide = `# Guide\n\n${proseOf("the guide")}\n\n## Proxy\n\n${proseOf("proxy")}\n\n\`\`\`js\nproxy({ secure: true });\n\`\`\`\n\n### Options\n\n${proseOf("options")}\n\n## Build\n\n${proseOf("build")}\n`;
const texts = {
  "docs/guide.md": guide,
  "docs/api.md": `# API\n\n${proseOf("the api")}\n\n## proxyTable\n\n${proseOf("table")}\n`,
};

const passagesOf = (pages: Readonly<Record<string, string>>): readonly Passage[] =>
  Object.entries(pages).flatMap(([path, text]) => passagesIn(path, text));

/** A server with a library of these passages, and functions that read it without a key. */
async function reading(passages: readonly Passage[] = passagesOf(texts), settings: Parameters<typeof setup>[0] = {}) {
  const world = await setup({ rateLimitAnonymous: 100_000, ...settings });
  const run = await world.submit("/acme/widgets");
  await world.finish(run, passages);
  const ask = (path: string, query: object, request: object) =>
    world.send("GET", `/v2/${path}?${new URLSearchParams({ libraryId: "/acme/widgets", ...query }).toString()}`, {
      key: null,
      ...request,
    });
  const read = (query: object = {}, request = {}) => ask("page", { page: "guide.md", ...query }, request);
  const list = (query: object = {}, request = {}) => ask("pages", query, request);
  return {
    ...world,
    run,
    read,
    list,
    text: async (query: object = {}, request = {}) => textOf(await read(query, request)),
    json: async (query: object = {}) => (await read({ type: "json", ...query })).body as ReadPage,
    listed: async (query: object = {}) => (await list(query)).body as PageList,
    /** Refreshes the library. */
    async refresh(next: readonly Passage[]) {
      await world.send("POST", "/v1/refresh", { body: { libraryName: "/acme/widgets" } });
      await world.finish(world.engine.started.at(-1)?.runId ?? "", next);
    },
  };
}

function textOf({ status, body }: ApiAnswer): string {
  expect({ status, type: typeof body }).toEqual({ status: 200, type: "string" });
  return body as string;
}

describe("GET /v2/page", () => {
  it("reads a page as Markdown in its order, with its source", async () => {
    const { read } = await reading();
    const { headers, body } = await read();
    expect(headers).toMatchObject({
      "Content-Type": "text/plain; charset=utf-8",
      "X-Lectern-Library": "/acme/widgets",
      "Cache-Control": "public, max-age=300",
    });
    const text = body as string;
    expect(text).toMatch(
      /^### Guide\n\nSource: https:\/\/git\.example\.com\/acme\/widgets\/blob\/c0ffee\/docs\/guide\.md#L3-L\d+\n\nSentence 0 on the guide/,
    );
    expect(
      Array.from(text.matchAll(/Sentence 0 on (.+?) tells|^(#### .+)$/gm), ([, on, heading]) => on ?? heading),
    ).toEqual(["the guide", "#### Proxy", "proxy", "#### Options", "options", "#### Build", "build"]);
    expect(text).toContain("```javascript\nproxy({ secure: true });\n```");
    expect(text).toMatch(/number 5\.$/);
  });

  it.each([
    [{ page: "docs/guide.md#proxy" }, ["proxy", "options"]],
    [{ page: "guide.md", section: "proxy" }, ["proxy", "options"]],
    [{ page: `${base}docs/guide.md`, section: "Guide > Proxy > Options" }, ["options"]],
    [{ page: "guide.md", section: "Build" }, ["build"]],
    [{ page: "guide.md", section: "proxy", from: "2" }, ["options"]],
    [{ page: "guide.md", from: "2" }, ["options", "build"]],
    [{ page: `${base}docs/guide.md#L3-L9` }, ["the guide", "proxy", "options", "build"]],
  ])("reads a section, or from a passage on: %j", async (query, expected) => {
    const { text, json } = await reading();
    const shown = Array.from((await text(query)).matchAll(/Sentence 0 on (.+?) tells/g), ([, on]) => on);
    expect(shown).toEqual(expected);
    expect(
      (await json(query)).passages.map(({ blocks }) => /Sentence 0 on (.+?) tells/.exec(JSON.stringify(blocks))?.[1]),
    ).toEqual(expected);
  });

  it("reads the section of a passage by its address if the source has given it another fragment", async () => {
    const passages = passagesOf(texts).map((passage, at): Passage => {
      const { lines: _, path: __, ...source } = passage.source;
      return { ...passage, source: { ...source, url: `${passage.page.url}#own-${at}`, ordinal: at } };
    });
    const { text } = await reading(passages);
    expect(await text({ page: `${base}docs/guide.md#own-1` })).toMatch(/^### Guide > Proxy.*\n\nSource: .*#own-1/);
    expect(await text({ page: `${base}docs/guide.md#own-0` })).toContain("Sentence 0 on build");
  });

  it("says that nothing is left to read behind the end", async () => {
    const { text, json } = await reading();
    expect(await text({ from: "4" })).toBe("[Nothing of Guide is left to read.]");
    expect(await text({ section: "proxy", from: "9999" })).toBe("[Nothing of Proxy is left to read.]");
    expect(await json({ from: "4" })).toMatchObject({ passages: [], next: null });
  });

  it("reads JSON with the outline of the page and each passage with its place and content", async () => {
    const { json } = await reading();
    const { passages, ...page } = await json({ section: "proxy" });
    expect(page).toMatchObject({
      library: "/acme/widgets",
      page: "docs/guide.md",
      name: "guide.md",
      title: "Guide",
      url: `${base}docs/guide.md`,
      heldBack: 0,
      section: "proxy",
      sections: [
        { section: "proxy", title: "Proxy", level: 1 },
        { section: "options", title: "Options", level: 2 },
        { section: "build", title: "Build", level: 1 },
      ],
      next: null,
    });
    expect(passages).toMatchObject([
      {
        index: 1,
        section: "proxy",
        breadcrumb: ["Guide", "Proxy"],
        revision: "c0ffee",
        blocks: [
          { type: "prose" },
          { type: "code", codes: [{ language: "javascript", code: "proxy({ secure: true });" }] },
        ],
      },
      { index: 2, section: "options" },
    ]);
    const [first] = passages;
    expect(first?.url).toBe(`${base}docs/guide.md#L${first?.lines?.[0]}-L${first?.lines?.[1]}`);
    expect((await json()).passages[0]).toMatchObject({ index: 0, section: null });
  });

  it("is cut at the budget, and says where it goes on", async () => {
    const { text, json } = await reading();
    expect(await text({ tokens: "420" })).toMatch(
      /\n\n\[The page goes on with "Options", \d+ tokens: read it with from=2\.\]$/,
    );
    expect(await text({ tokens: "320", section: "proxy" })).toMatch(
      /\n\n\[The section goes on with "Options", \d+ tokens: read it with from=2\.\]$/,
    );
    expect(await json({ tokens: "600" })).toMatchObject({ next: 2 });
    // The minimum is 200.
    expect(await text({ tokens: "1" })).toBe(await text({ tokens: "200" }));
  });

  it.each([
    ["page=", "page must have 1 to 2000 characters."],
    [`page=${"x".repeat(2001)}`, "page must have 1 to 2000 characters."],
    ["", "page is missing."],
    ["page=a&page=b", "page was given more than once. Give it once."],
    ["page=a&section=", "section must have 1 to 500 characters."],
    ["page=a&from=-1", "from must be a whole number from 0 to 1000000."],
    ["page=a&tokens=0", "tokens must be a whole number from 1 to 100000."],
    ["page=a&tokens=100001", "tokens must be a whole number from 1 to 100000."],
    ["page=a&type=html", "type must be txt or json."],
  ])("refuses %s with a sentence", async (query, message) => {
    const { send } = await reading();
    expect(await send("GET", `/v2/page?libraryId=/acme/widgets&${query}`)).toMatchObject({
      status: 400,
      body: { error: "validation_error", message },
    });
  });

  it("names the nearest pages and sections in place of those that are not there", async () => {
    const { read } = await reading();
    const refused = async (query: object) => {
      const { status, body } = await read(query);
      expect({ status, body }).toMatchObject({ status: 404, body: { error: "page_not_found" } });
      return (body as { message: string }).message;
    };
    expect(await refused({ page: "guides/guide.html" })).toBe(
      '/acme/widgets has no page "guides/guide.html". Nearest: guide.md. list-pages (GET /api/v2/pages) has all of them.',
    );
    expect(await refused({ page: "nothing\n- evil" })).toBe(
      '/acme/widgets has no page "nothing - evil". list-pages (GET /api/v2/pages) has all of them.',
    );
    expect(await refused({ section: "proxy-options" })).toBe(
      'docs/guide.md has no section "proxy-options". Its sections: proxy, options.',
    );
    expect(await refused({ page: "guide.md#nothing" })).toBe(
      'docs/guide.md has no section "nothing". Its sections: proxy, options, build.',
    );
  });
});

describe("a page with passages that are held back", () => {
  const passages = passagesOf(texts).map((passage) =>
    passage.breadcrumb.at(-1) === "Options" || passage.page.title === "API" ? held(passage) : passage,
  );

  it("counts them, and shows nothing of them", async () => {
    const { text, json, listed } = await reading(passages);
    const whole = await text();
    expect(whole).toMatch(/\n\n\[1 passage of guide\.md is held back by the screen\.\]$/);
    expect(whole).not.toContain("on options");
    expect(await json()).toMatchObject({ heldBack: 1, passages: [{ index: 0 }, { index: 1 }, { index: 3 }] });
    const list = await listed();
    expect(list).toMatchObject({ total: 1, heldBack: 3, pages: [{ name: "guide.md", heldBack: 1 }] });
    expect(JSON.stringify(list)).not.toMatch(/Options|api\.md/);
  });

  it("is counted too where a section or page is asked for that is not there", async () => {
    const { read } = await reading(passages);
    expect((await read({ section: "options" })).body).toMatchObject({
      message:
        'docs/guide.md has no section "options". Its sections: proxy, build. 1 passage of it is held back by the screen.',
    });
    expect((await read({ page: "api.md" })).body).toMatchObject({
      message: expect.stringMatching(
        /has no page "api\.md"\..* 3 passages of the library are held back by the screen\.$/,
      ),
    });
  });
});

describe("reading on by what the end says", () => {
  const code = (name: string, lines: number): string =>
    Array.from({ length: lines }, (_, at) => `// line ${at} of ${name}`).join("\n");
  /** A page of sections with prose or code, each with a mark of its own. */
  const pageText = (sizes: readonly number[]): string =>
    `# Page\n\n${sizes
      .map((size, at) =>
        size < 40
          ? `## Section ${at}\n\nMark ${at} begins.\n\n${proseOf(`section ${at}`, size)}`
          : `## Section ${at}\n\nMark ${at} begins.\n\n\`\`\`js\n${code(`section ${at}`, size * 5)}\n\`\`\``,
      )
      .join("\n\n")}\n`;
  /** Everything of a page, by following what the ends of its parts say. */
  async function walk(text: (query: object) => Promise<string>, tokens: number): Promise<string> {
    const parts: string[] = [];
    for (let from: number | undefined = 0, budget = tokens; from !== undefined;) {
      let part = await text({ from: String(from), tokens: String(budget) });
      const [, again, needed] = /read it whole with from=(\d+) and tokens=(\d+)/.exec(part) ?? [];
      if (again !== undefined && needed !== undefined) {
        expect(Number(again)).toBe(from);
        part = await text({ from: again, tokens: needed });
        expect(part).not.toContain("This is shortened");
        expect(estimateTokens(part)).toBeLessThanOrEqual(Number(needed));
      } else expect(estimateTokens(part)).toBeLessThanOrEqual(tokens);
      parts.push(part);
      const [, next] = /goes on with .*read it with from=(\d+)\.\]?/.exec(part) ?? [];
      if (next !== undefined) expect(Number(next)).toBeGreaterThan(from);
      from = next === undefined ? undefined : Number(next);
      budget = tokens;
    }
    return parts.join("\n");
  }

  it("gives every passage of any page once, in its order, at any budget", async () => {
    const { text, refresh } = await reading();
    const size = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 40, max: 300 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(size, { minLength: 1, maxLength: 9 }),
        fc.array(fc.integer({ min: 200, max: 5000 }), { minLength: 3, maxLength: 3 }),
        async (sizes, budgets) => {
          const passages = passagesIn("docs/guide.md", pageText(sizes));
          await refresh(passages);
          const lines = sizes.flatMap((each, at) => (each < 40 ? [] : [`// line ${each * 5 - 1} of section ${at}`]));
          for (const tokens of budgets) {
            const whole = await walk(text, tokens);
            expect(Array.from(whole.matchAll(/Mark (\d+) begins/g), ([, at]) => Number(at))).toEqual([...sizes.keys()]);
            for (const line of lines) expect(whole.split(line)).toHaveLength(2);
          }
        },
      ),
      { numRuns: 12 },
    );
  });

  it("works with rules that take much of the budget", async () => {
    const { text, send, refresh } = await reading();
    await refresh(passagesIn("docs/guide.md", pageText([60, 3, 60])));
    const rules = Array.from({ length: 20 }, (_, at) => `Rule ${at} says ${"much of what is to be done ".repeat(9)}`);
    await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/widgets", rules } });
    const whole = await walk(text, 2500);
    expect(Array.from(whole.matchAll(/Mark (\d+) begins/g), ([, at]) => at)).toEqual(["0", "1", "2"]);
  });

  it("is not promised for code that exceeds the largest budget", async () => {
    const { text, json, refresh } = await reading();
    await refresh(passagesIn("docs/guide.md", pageText([3000])));
    const shown = await text({ tokens: "100000" });
    expect(shown).toContain("[This is shortened, as it exceeds the largest budget: only its source has all of it.]");
    expect(await json({ tokens: "5000" })).toMatchObject({ passages: [{ shortened: true }], next: null });
    await refresh(passagesOf(texts));
    expect((await json()).passages[0]).not.toHaveProperty("shortened");
  });

  it("in JSON gives every passage once by next", async () => {
    const { json, refresh } = await reading();
    const passages = passagesIn("docs/guide.md", pageText([3, 60, 8, 8, 100, 1, 5]));
    await refresh(passages);
    for (const tokens of ["200", "700", "5000"]) {
      const indexes: number[] = [];
      for (let from: number | null = 0; from !== null;) {
        const part = await json({ from: String(from), tokens });
        indexes.push(...part.passages.map(({ index }) => index));
        from = part.next;
      }
      expect(indexes).toEqual([...passages.keys()]);
    }
  });
});

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
