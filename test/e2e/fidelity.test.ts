import { Parser } from "commonmark";
import fc from "fast-check";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exportGeneration } from "../../activities/transfer.ts";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import type { Manifest } from "../../domain/generation.ts";
import type { Passage } from "../../domain/passage.ts";
import { amount } from "../support/endurance.ts";
import { startGitServer } from "../support/git-server.ts";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";

const pages = amount({ short: 100, long: 1000 });
const word = fc.constantFrom(
  "config",
  "widget",
  "größe",
  "router",
  "`inline`",
  "**bold**",
  "[link](./x.md)",
  "日本語",
  "<br>",
  "a_b",
  "{{ x }}",
);
const sentence = fc.array(word, { minLength: 3, maxLength: 12 }).map((words) => `${words.join(" ")}.`);
const codeLine = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }).map((text) => text.replace(/[\p{Cc}\u2028\u2029]/gu, " ")),
  fc.constantFrom(
    "",
    "  ",
    "\tindented",
    "const a = `${1}`;",
    "```",
    "~~",
    "# no heading",
    "- no list",
    "> no quote",
    "trailing  ",
    "<b>&amp;</b>",
    "\\`",
  ),
);

/** A fenced code block at the top level, in a list or in a quotation; its fence is longer than any in its code. */
const fence = fc
  .record({
    lines: fc
      .array(codeLine, { minLength: 1, maxLength: 8 })
      .filter((lines) => lines.some((line) => line.trim() !== "")),
    mark: fc.constantFrom("`", "~"),
    info: fc.constantFrom("", "js", 'ts title="a.ts"', "console", "python {1,3}", "C++"),
    extra: fc.nat(2),
    place: fc.constantFrom("", "", "   ", "> ", "- "),
  })
  .map(({ lines, mark, info, extra, place }) => {
    const longest = Math.max(2, ...lines.map((line) => /^\s*(`+|~+)/.exec(line)?.[1]?.length ?? 0));
    const bar = mark.repeat(longest + 1 + extra);
    const rest = place === "- " ? "  " : place;
    return [bar + (mark === "`" ? info.replaceAll("`", "") : info), ...lines, bar]
      .map((line, index) => (index === 0 ? place : rest) + line)
      .join("\n");
  });

const page = fc
  .record({
    title: sentence,
    blocks: fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fence },
        sentence,
        sentence.map((text) => `## ${text}`),
        sentence.map((text) => `- ${text}`),
      ),
      { minLength: 1, maxLength: 12 },
    ),
    newline: fc.constantFrom("\n", "\n", "\r\n"),
    last: fc.boolean(),
  })
  .map(({ title, blocks, newline, last }) =>
    `# ${title}\n\n${blocks.join("\n\n")}${last ? "\n" : ""}`.replaceAll("\n", newline),
  );

/** The code blocks that the reference parser of CommonMark finds, with normalized line ends. */
function referenceCodes(markdown: string): readonly string[] {
  const walker = new Parser().parse(markdown).walker();
  const codes: string[] = [];
  for (let step = walker.next(); step; step = walker.next()) {
    if (step.entering && step.node.type === "code_block") codes.push((step.node.literal ?? "").replace(/\n$/, ""));
  }
  return codes;
}

/** The reference parser drops whitespace in blank lines of list items, which we keep. */
const blank = (text: string): string => fold(text).replace(/^[ \t]+$/gm, "");
const fold = (text: string): string => text.replaceAll("\r\n", "\n");

describe("what is indexed", () => {
  it(`has every block of code of ${pages} generated pages in the generation, to the byte and at its lines`, async () => {
    const markdown = fc.sample(page, { numRuns: pages, seed: 20261121 });
    const files = Object.fromEntries(markdown.map((text, index) => [`docs/page-${index}.md`, text]));
    await using folder = await temporaryFolder();
    const git = await startGitServer();
    const repository = await git.repository("acme/fidelity.git", files);
    const server = await startLectern(folder.path, { FETCH_ALLOW: git.host });
    try {
      await server.call("POST", "/v2/add/repo/git", { docsRepoUrl: repository.url });
      const status = await server.settled("/acme/fidelity");
      const commit = await repository.git("rev-parse", "main");
      const lines = exportGeneration(
        createFolderBlobStore({ folder: join(folder.path, "blobs") }),
        (status["live"] as { id: string }).id,
      );
      const [manifest, ...passages] = (await Array.fromAsync(lines)).map((line) => JSON.parse(line) as unknown) as [
        Manifest,
        ...Passage[],
      ];
      expect(manifest.pages.filter(({ outcome }) => outcome === "failed")).toEqual([]);

      let blocks = 0;
      for (const [path, text] of Object.entries(files)) {
        const own = passages.filter(({ source }) => source.path === path).flatMap(({ blocks }) => blocks);
        const codes = own.flatMap((block) =>
          block.type === "code" ? block.codes.map(({ code }) => ({ code, example: block })) : [],
        );
        const expected = referenceCodes(text).filter((code) => code.trim() !== "");
        expect(
          codes.map(({ code }) => blank(code)),
          path,
        ).toEqual(expected.map(blank));
        blocks += codes.length;
        const fileLines = text.split(/\r?\n/);
        for (const { code, example } of codes) {
          const [first, last] = example.lines ?? [0, 0];
          expect(example.url).toBe(`${repository.url.replace(/\.git$/, "")}/blob/${commit}/${path}#L${first}-L${last}`);
          // Each line of code is the end of its line in the file, after quotation mark or indentation.
          const within = fileLines.slice(first, last).filter((_, index) => index < fold(code).split("\n").length);
          fold(code)
            .split("\n")
            .forEach((line, index) =>
              expect(within[index]?.endsWith(line), `${path} line ${first + 1 + index}`).toBe(true),
            );
        }
      }
      expect(blocks).toBeGreaterThan(pages);

      for (const query of ["config widget", "router größe", "inline bold", "const a", "日本語"]) {
        const { status: code, body } = await server.call(
          "GET",
          `/v2/context?${new URLSearchParams({ libraryId: "/acme/fidelity", query, limit: "50", tokens: "20000" }).toString()}`,
        );
        expect(code).toBe(200);
        expectBalanced(String(body));
      }
    } finally {
      await server.kill("SIGTERM");
      await git.close();
    }
  });
});

/** Expects by the reference parser that no fence in a text answer swallows the head of the next page. */
function expectBalanced(text: string): void {
  const pages = text.split(/\n\n-{32}\n\n/).filter((part) => !part.startsWith("Not shown above"));
  expect(pages.length).toBeGreaterThan(5);
  for (const codes of referenceCodes(text)) expect(codes).not.toMatch(/^Source: http/m);
  expect(text.match(/^Source: http/gm)).toHaveLength(pages.length);
}
