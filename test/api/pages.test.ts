import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Passage } from "../../domain/passage.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import { base, held, passagesIn, proseOf } from "../support/outlined.ts";
import { texts, passagesOf, reading } from "./pages-setup.ts";

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
      '/acme/widgets has no page "nothing - evil". Some of its pages: guide.md, api.md. list-pages (GET /api/v2/pages) has all of them.',
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
