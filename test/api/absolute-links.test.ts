import { describe, expect, it } from "vitest";

import { withAbsoluteLinks } from "../../api/served-addresses.ts";
import type { Passage } from "../../domain/passage.ts";
import { prosePassage } from "./samples.ts";

const repository = "https://git.example.com/acme/widgets/blob/c0ffee";

/** The markdown of a page as it is served. */
function served(markdown: string, url = `${repository}/docs/guide/start.md`, path?: string): string {
  const passage: Passage = {
    ...prosePassage,
    blocks: [{ type: "prose", markdown }],
    page: { title: "Start", url },
    source: { ...(path !== undefined && { path }), url, revision: "c0ffee" },
  };
  const [block] = withAbsoluteLinks(passage).blocks;
  return block?.type === "prose" ? block.markdown : "";
}
const ofRepository = (markdown: string): string => served(markdown, undefined, "docs/guide/start.md");
const ofSite = (markdown: string): string => served(markdown, "https://acme.example/docs/start");

describe("links of a page of a repository", () => {
  it.each([
    ["[use](./use.md)", `[use](${repository}/docs/guide/use.md)`],
    ["[use](use.mdx#size)", `[use](${repository}/docs/guide/use.mdx#size)`],
    ["[`createWidget()`](../api/create.md 'API')", `[\`createWidget()\`](${repository}/docs/api/create.md 'API')`],
    ["[code](../../src/a.ts)", `[code](${repository}/src/a.ts)`],
    ["![a size](./img/size.png)", `![a size](${repository}/docs/guide/img/size.png)`],
    ["[a b](<./a.md>)", `[a b](<${repository}/docs/guide/a.md>)`],
  ])("to a file get its address: %s", (markdown, expected) => {
    expect(ofRepository(markdown)).toBe(expected);
  });

  it.each([
    ["See [sizes](#sizes).", "See sizes."],
    ["a[i](g) and [b](/docs/b) and [c](../c) and [d](d.html)", "ai and b and c and d"],
    ["[up](../../../../etc/x.md)", "up"],
    ["[doc](explanation:security) ![alt](data:image/png;base64,AAAA)", "doc alt"],
    ["[**bold** [inner](#x)](#y)", "**bold** inner"],
    ["[](#x)![](/a.png)", ""],
  ])("without a target are replaced by their text: %s", (markdown, expected) => {
    expect(ofRepository(markdown)).toBe(expected);
  });

  it("keep links in their text", () => {
    expect(ofRepository("[![badge](https://x.example/b.svg)](./use.md)")).toBe(
      `[![badge](https://x.example/b.svg)](${repository}/docs/guide/use.md)`,
    );
    expect(ofRepository("[![badge](./b.svg)](#x)")).toBe(`![badge](${repository}/docs/guide/b.svg)`);
  });

  it.each([
    "[a](https://x.example/a_(b)) and [m](mailto:a@x.example)",
    "`a[0](#x)` and ``[`](#y)``",
    "```md\n[a](#b)\n\n[c](./d.md)\n```",
    "- In a list:\n\n  ~~~\n  [a](#b)\n  ~~~",
    "\\[a](#b) [open ( ](",
    "[a][b] and [c] (d)",
  ])("are unchanged if absolute, and so is code: %s", (markdown) => {
    expect(ofRepository(markdown)).toBe(markdown);
  });

  it("are replaced by their text if the page's address does not contain its path", () => {
    expect(served("[use](use.md)", "https://git.example.com/acme/widgets/wiki/Start", "Start.md")).toBe("use");
  });

  it("keep the query of the page's address", () => {
    const page = "https://bb.example.com/projects/A/repos/w/browse/docs/start.md?at=c0ffee";
    expect(served("[use](use.md#a)", page, "docs/start.md")).toBe(
      "[use](https://bb.example.com/projects/A/repos/w/browse/docs/use.md?at=c0ffee#a)",
    );
  });

  it("are relative to a folder whose location is not shown", () => {
    expect(served("[use](../use.md) [x](#x)", "guide/start.md", "guide/start.md")).toBe("[use](use.md) x");
  });
});

describe("links of a page of a site", () => {
  it("get their absolute address, except those within the page", () => {
    expect(ofSite("[a](/api) [b](use) [c](./use.md#x) [d](//cdn.example/x) [e](#e) [f](javascript:x)")).toBe(
      "[a](https://acme.example/api) [b](https://acme.example/docs/use) [c](https://acme.example/docs/use.md#x) [d](https://cdn.example/x) e f",
    );
  });
});

it("takes linear time for any text", () => {
  const nested = `${"[".repeat(20_000)}a${"](#b)".repeat(20_000)}`;
  for (const part of ["[", "](", "[a](#", "`", "``[", "![", "[a](", "\\[", "[[a](#b)", "(](<", nested]) {
    const start = performance.now();
    ofRepository(part.length > 9 ? part : part.repeat(20_000));
    expect(performance.now() - start, part.slice(0, 9)).toBeLessThan(1000);
  }
});
