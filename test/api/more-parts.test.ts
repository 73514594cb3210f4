import { describe, expect, it } from "vitest";
import type { SourceSpec } from "../../domain/kinds/index.ts";
import { readPassage, type Passage } from "../../domain/passage.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import { cutDescription } from "../../extract/openapi/cut.ts";
import { openApiPartType } from "../../extract/formats.ts";
import { extractPage, formatOf } from "../../extract/index.ts";
import { toLines } from "../../extract/passage-lines.ts";
import { describing, filesOf, root } from "../extract/openapi/cutting.ts";
import { held, passagesIn, proseOf } from "../support/outlined.ts";
import { asking, partsOf } from "./more-world.ts";
import { passagesOf } from "./page-world.ts";

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
      const [, name = "", summary, number] = /^- (GET \/things(?:\d+)\/\{id\}): (Find thing (\d+))$/.exec(line) ?? [];
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
