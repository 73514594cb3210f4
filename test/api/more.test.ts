import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Failure } from "../../domain/failures.ts";
import type { Passage } from "../../domain/passage.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import { connectAgent, textOf } from "../support/agent.ts";
import { passagesIn, proseOf } from "../support/outlined.ts";
import { asking, introduction, library, partsOf, placeOf } from "./more-world.ts";
import { passagesOf } from "./page-world.ts";
import { serve } from "./serving.ts";

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
      (_, at) => `## Part ${at}\n\n${proseOf(at === 1 ? "the zebra" : `part ${at}`)}`,
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
    expect(lines).not.toContain("- guide.md#part-1");
  });

  it("names pages whose address is a route after #", async () => {
    const passages = ["one", "two"].flatMap((name) =>
      passagesIn("a.md", `# ${name}\n\n${proseOf(name)}\n`).map((passage): Passage => {
        const url = `https://docs.example.com/#/${name}`;
        return { ...passage, page: { ...passage.page, url }, source: { url, revision: "r1" } };
      }),
    );
    const { ask } = await asking(passages);
    expect(partsOf(await ask({ query: "nothing" })).lines).toEqual(["- one", "- two"]);
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
      expect(answer).toContain("What else this library has cannot be named at the moment.");
    }
    expect(lost).toEqual([run]);
  });

  it("is not there while the BlobStore is away, but the passages are", async () => {
    const { ask, json, options, lost } = await asking(passagesOf(library));
    const away = () => Promise.reject(new Failure("service_unavailable", "The bucket is out of reach."));
    Object.assign(options.ports.pages, { outline: away });
    expect(await ask()).toContain("Sentence 0 on");
    expect(await ask()).not.toContain(introduction);
    expect(await ask()).toContain("What else this library has cannot be named at the moment.");
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
  expect(textOf(answer)).toBe(await ask());
  expect(textOf(answer)).toContain(`\n${introduction}\n- `);
});
