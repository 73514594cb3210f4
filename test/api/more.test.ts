import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReadPage } from "../../api/answer-types.ts";
import { Failure } from "../../domain/failures.ts";
import type { SourceSpec } from "../../domain/kinds/index.ts";
import { readPassage, type Passage } from "../../domain/passage.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import { cutDescription } from "../../extract/openapi/cut.ts";
import { openApiPartType } from "../../extract/formats.ts";
import { extractPage, formatOf } from "../../extract/index.ts";
import { toLines } from "../../extract/passage-lines.ts";
import { describing, filesOf, root } from "../extract/openapi/cutting.ts";
import { connectAgent, textOf as textOfResult } from "../support/agent.ts";
import { held, passagesIn, proseOf } from "../support/outlined.ts";
import { serve } from "./serving.ts";
import { setup } from "./setup.ts";

const introduction = "Not shown above; read-page (`lectern read`) reads each of these:";

/** The JSON form of an answer. */
interface Answer {
  readonly more?: readonly {
    readonly page: string;
    readonly section?: string;
    readonly title: string;
    readonly tokens: number;
  }[];
  readonly notes?: readonly string[];
}

/** A server with a library of these passages, and functions that ask it. */
async function asking(passages: readonly Passage[]) {
  const world = await setup({ rateLimitAnonymous: 100_000 });
  const run = await world.submit("/acme/widgets");
  await world.finish(run, passages);
  const send = (path: string, query: object) =>
    world.send("GET", `/v2/${path}?${new URLSearchParams({ libraryId: "/acme/widgets", ...query }).toString()}`, {
      key: null,
    });
  return {
    ...world,
    run,
    async ask(query: object = {}) {
      const { status, body } = await send("context", { query: "something", ...query });
      expect(status).toBe(200);
      return body as string;
    },
    async json(query: object = {}) {
      const { status, body } = await send("context", { query: "something", type: "json", ...query });
      expect(status).toBe(200);
      return body as Answer;
    },
    /** A page in JSON; undefined if there is none. */
    async page(page: string, section?: string) {
      const { status, body } = await send("page", {
        page,
        ...(section !== undefined && { section }),
        type: "json",
        tokens: 100_000,
      });
      return status === 200 ? (body as ReadPage) : undefined;
    },
  };
}

/** The parts of an answer in text form: what is shown, and the lines of the map, without those on what is held back. */
function partsOf(text: string): { readonly shown: string; readonly map: string; readonly lines: readonly string[] } {
  const at = text.indexOf(introduction);
  if (at < 0) return { shown: text, map: "", lines: [] };
  const lines = text
    .slice(at)
    .split("\n")
    .filter((line) => line.startsWith("- "));
  return { shown: text.slice(0, at), map: [introduction, ...lines].join("\n"), lines };
}

/** Pages with sections that have a sentence of their own each. */
const library = Object.fromEntries(
  Array.from({ length: 12 }, (_, page) => [
    `docs/part-${page % 3}/page ${page}.md`,
    `# Page ${page}\n\n${proseOf(`page ${page}`)}\n\n${Array.from({ length: 1 + (page % 4) * 12 }, (_section, at) => `## Part ${at} of \`${page}\`\n\n${proseOf(`part ${page}.${at}`)}`).join("\n\n")}\n`,
  ]),
);
const passagesOf = (pages: Readonly<Record<string, string>>): readonly Passage[] =>
  Object.entries(pages).flatMap(([path, text]) => passagesIn(path, text));

describe("the map behind an answer", () => {
  it("takes at most a tenth of the budget, within which the whole answer is, in both forms", async () => {
    const { ask, json } = await asking(passagesOf(library));
    let mapped = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 200, max: 9000 }), async (tokens) => {
        const text = await ask({ tokens });
        const { map, lines } = partsOf(text);
        expect(estimateTokens(text)).toBeLessThanOrEqual(tokens);
        expect(estimateTokens(map)).toBeLessThanOrEqual(tokens / 10);
        const body = await json({ tokens });
        expect(estimateTokens(JSON.stringify(body))).toBeLessThanOrEqual(tokens);
        if (body.more) expect(estimateTokens(JSON.stringify(body.more))).toBeLessThanOrEqual(tokens / 10);
        if (tokens >= 1000) expect(Math.min(lines.length, body.more?.length ?? 0)).toBeGreaterThan(0);
        mapped = Math.max(mapped, lines.length);
      }),
      { numRuns: 30 },
    );
    expect(mapped).toBeGreaterThan(10);
  });

  it("names places that can be read as they are named, once each, and none that is wholly shown", async () => {
    const { ask, json, page } = await asking(passagesOf(library));
    for (const tokens of [700, 3000, 8000]) {
      const { shown, lines } = partsOf(await ask({ tokens }));
      const places = new Set<string>();
      for (const line of lines) {
        const place = await placeOf(line, page);
        expect(place, line).toBeDefined();
        places.add(`${place?.page} ${place?.section}`);
        const sentences = JSON.stringify(place?.passages).match(/Sentence \d+ on [^,]+? tells/g) ?? [];
        expect(
          sentences.some((sentence) => !shown.includes(sentence)),
          line,
        ).toBe(true);
      }
      expect(places.size).toBe(lines.length);
      const { more = [] } = await json({ tokens });
      expect(more.length).toBeGreaterThan(0);
      for (const place of more) {
        const read = await page(place.page, place.section);
        expect(read?.name).toBe(place.page);
        expect(read?.section).toBe(place.section);
        const of = read?.sections.find(({ section }) => section === place.section);
        expect(place.tokens).toBe((of ?? read)?.tokens);
        expect(place.title).toBe((of ?? read)?.title);
      }
    }
  });

  it("names the sections of the answer's page that are not in it, and other pages", async () => {
    const sections = Array.from(
      { length: 40 },
      (_, at) => `## Part ${at}\n\n${proseOf(at === 7 ? "the zebra" : `part ${at}`)}`,
    );
    const pages = {
      "docs/guide.md": `# Guide\n\n${sections.join("\n\n")}\n`,
      "docs/other.md": `# Other\n\n${proseOf("it")}\n`,
    };
    const { ask } = await asking(passagesOf(pages));
    const { shown, lines } = partsOf(await ask({ query: "zebra", tokens: 1000 }));
    expect(shown).toContain("Sentence 5 on the zebra");
    expect(lines).toContain("- other.md");
    expect(lines.filter((line) => /^- guide\.md#part-\d+$/.test(line)).length).toBeGreaterThan(3);
    expect(lines).not.toContain("- guide.md#part-7");
  });

  it("is not there if everything is shown", async () => {
    const { ask, json } = await asking(
      passagesOf({ "a.md": `# A\n\n${proseOf("a")}\n`, "b.md": `# B\n\n${proseOf("b")}\n\n## C\n\n${proseOf("c")}\n` }),
    );
    const text = await ask();
    expect(text).toContain("Sentence 5 on c");
    expect(text).not.toContain(introduction);
    expect(text).toMatch(/number 5\.$/);
    const body = await json();
    expect(body).not.toHaveProperty("more");
    expect(body).not.toHaveProperty("notes");
  });

  it("counts a shortened passage as not shown", async () => {
    const code = `# A\n\n## Code\n\n\`\`\`js\n${"something();\n".repeat(3000)}\`\`\`\n`;
    const { ask } = await asking(passagesOf({ "a.md": code }));
    const text = await ask({ tokens: 1000 });
    expect(text).toMatch(/\[3000 lines of javascript: /);
    expect(partsOf(text).lines).toEqual([expect.stringMatching(/^- a\.md#code \(\d+k tokens\)$/)]);
  });

  it.each(["text", "JSON"])("is not there in %s while the outline is missing, which is written once", async (form) => {
    const { ask, json, options, lost, run } = await asking(passagesOf(library));
    Object.assign(options.ports.pages, { outline: async () => undefined });
    for (let asked = 0; asked < 3; asked += 1) {
      const answer = form === "text" ? await ask() : JSON.stringify(await json());
      expect(answer).toContain("Sentence 0 on");
      expect(answer).not.toMatch(/Not shown above|"more"/);
    }
    expect(lost).toEqual([run]);
  });

  it("is not there while the BlobStore is away, but the passages are", async () => {
    const { ask, json, options, lost } = await asking(passagesOf(library));
    const away = () => Promise.reject(new Failure("service_unavailable", "The bucket is out of reach."));
    Object.assign(options.ports.pages, { outline: away });
    expect(await ask()).toContain("Sentence 0 on");
    expect(await ask()).not.toContain(introduction);
    expect(await json()).not.toHaveProperty("more");
    expect(lost).toEqual([]);
  });
});

describe("hostile titles and paths", () => {
  const evil = [
    "One\n- evil.md#x",
    "[a](https://evil.example) ](",
    "\u2028- b.md",
    "🎈".repeat(400),
    "`code` <b>&",
    "x".repeat(3000),
  ];

  it("stay on one line of limited length each", async () => {
    const passages = evil.flatMap((title, at) => {
      const path = at % 2 === 0 ? `docs/${at}.md` : `docs/${title.slice(0, 300)}.md`;
      return passagesIn(path, `# T\n\n${proseOf(`page ${at}`, 40)}\n`).map((passage): Passage => ({
        ...passage,
        breadcrumb: [title, title],
        page: { ...passage.page, title },
      }));
    });
    const { ask, json, page } = await asking(passages);
    for (const tokens of [2000, 9000]) {
      const text = await ask({ query: "nothing", tokens });
      const map = text.slice(text.indexOf(introduction)).split("\n");
      expect(map.length).toBeGreaterThan(1);
      for (const line of map.slice(1)) {
        expect(line).toMatch(/^- [^\p{Cc}\p{Zl}\p{Zp}]+$/u);
        expect(line.isWellFormed()).toBe(true);
        expect(await placeOf(line, page), line).toBeDefined();
      }
      for (const { title } of (await json({ query: "nothing", tokens })).more ?? []) {
        expect(title).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}]{1,60}$/u);
        expect(title.isWellFormed()).toBe(true);
      }
    }
  });
});

describe("passages that are held back", () => {
  const page = `# A\n\n## One\n\n${proseOf("one")}\n\n## Two\n\n${proseOf("two")}\n\n## Three\n\n${proseOf("three")}\n`;
  const hold = (...headings: readonly string[]): readonly Passage[] =>
    passagesIn("docs/a.md", page).map((passage) =>
      headings.includes(passage.breadcrumb.at(-1) ?? "") ? held(passage) : passage,
    );

  it.each([
    [["Two"], "1 passage of a.md is held back by the screen."],
    [["One", "Two"], "2 passages of a.md are held back by the screen."],
  ])("are counted in both forms: %j", async (headings, sentence) => {
    const { ask, json } = await asking([...hold(...headings), ...passagesOf({ "b.md": `# B\n\n${proseOf("b")}\n` })]);
    const text = await ask();
    expect(text.endsWith(`\n${sentence}`)).toBe(true);
    expect(text).not.toMatch(/on two|#two/);
    expect((await json()).notes).toEqual([sentence]);
    expect(JSON.stringify(await json())).not.toMatch(/on two|"two"/);
  });

  it("of pages that are not in the answer are not", async () => {
    const { ask } = await asking([...passagesOf({ "b.md": `# B\n\n${proseOf("b")}\n` }), ...hold("Two")]);
    expect(await ask({ limit: 1 })).not.toContain("held back");
  });

  it("do not let the answer exceed its budget", async () => {
    const pages = Array.from({ length: 30 }, (_, at) =>
      passagesIn(`docs/a-long-name-of-a-page-${at}.md`, page.replaceAll("one", `one ${at}`)).map((passage) =>
        passage.breadcrumb.at(-1) === "Two" ? held(passage) : passage,
      ),
    ).flat();
    const { ask, json } = await asking(pages);
    for (const tokens of [200, 300, 500, 1000, 3000]) {
      expect(estimateTokens(await ask({ tokens })), `${tokens}`).toBeLessThanOrEqual(tokens);
      expect(estimateTokens(JSON.stringify(await json({ tokens }))), `${tokens}`).toBeLessThanOrEqual(tokens);
    }
  });
});

describe("an API description", () => {
  const spec = { kind: "openapi", url: root, fileName: "openapi.json" } as unknown as SourceSpec;
  const operations = Array.from(
    { length: 30 },
    (_, at) =>
      [
        `/things${at}/{id}`,
        {
          get: {
            summary: `Find thing ${at}`,
            description: `${proseOf(`thing ${at}`, 3)}`,
            responses: { 200: { description: "It" } },
          },
        },
      ] as const,
  );
  const passages = async (): Promise<readonly Passage[]> => {
    const format = await formatOf(openApiPartType);
    const key = { type: "apiKey", in: "header", name: "X-Key" };
    const description = describing(Object.fromEntries(operations), { components: { securitySchemes: { key } } });
    return cutDescription(filesOf(description), []).pages.flatMap(({ key: path, url, bytes }) =>
      toLines(
        { path, url, mediaType: openApiPartType },
        extractPage({ path, mediaType: openApiPartType, bytes }, format),
        { spec, revision: "r1" },
      ).map(({ line }) => readPassage(line)),
    );
  };

  it("has its operations named by method and path, with what they do, and no other parts by their meaning", async () => {
    const { ask, json, page } = await asking(await passages());
    const { lines } = partsOf(await ask({ query: "things3", tokens: 2000 }));
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) {
      const [, name = "", summary, number] = /^- (GET \/things(?:\d+)\/\{id\}) (Find thing (\d+))$/.exec(line) ?? [];
      expect(name, line).toBe(`GET /things${number}/{id}`);
      expect(JSON.stringify((await page(name))?.passages)).toContain(summary);
    }
    const { more = [] } = await json({ query: "things3", tokens: 2000 });
    expect(more[0]).toMatchObject({
      page: expect.stringMatching(/^GET \/things/),
      title: expect.stringMatching(/^Find thing/),
    });
    expect((await page("GET /things7/{id}#Find thing 7"))?.section).toBe("find-thing-7");
  });
});

it("the published MCP server shows the answer with the map", async () => {
  const { app, ask, addKey } = await asking(passagesOf(library));
  const { server } = await serve(app);
  const { key } = await addKey(["read"]);
  const program = join(import.meta.dirname, "..", "..", "node_modules", "@upstash", "context7-mcp", "dist", "index.js");
  const agent = await connectAgent(
    new StdioClientTransport({
      command: process.execPath,
      args: [program],
      env: { CONTEXT7_API_URL: `${server.url}/api`, CONTEXT7_API_KEY: key },
      stderr: "ignore",
    }),
    "2025-06-18",
  );
  const answer = await agent.callTool({
    name: "query-docs",
    arguments: { libraryId: "/acme/widgets", query: "something" },
  });
  expect(textOfResult(answer)).toBe(await ask());
  expect(textOfResult(answer)).toContain(`\n${introduction}\n- `);
});

/** The place that a line names: what stands before its title and size. */
async function placeOf(
  line: string,
  page: (name: string) => Promise<ReadPage | undefined>,
): Promise<ReadPage | undefined> {
  const words = line
    .slice(2)
    .replace(/ \(\d+k tokens\)$/, "")
    .split(" ");
  for (let count = words.length; count > 0; count -= 1) {
    const place = await page(words.slice(0, count).join(" "));
    if (place) return place;
  }
  return undefined;
}
