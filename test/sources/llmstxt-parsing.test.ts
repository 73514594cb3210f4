import { expect, it } from "vitest";
import { parseFile, parseFileOnThread } from "../../sources/llmstxt/parsing.ts";
import { pool } from "../support/pool.ts";

const file = (text: string) => ({
  url: "https://acme.dev/llms.txt",
  bytes: new TextEncoder().encode(text),
  hosts: new Set(["acme.dev"]),
  maxPages: 100,
});

it.each([
  ["a list of pages", "# Acme\n\n- [A](/a.md)\n- [B](/b.md)\n", { index: { title: "Acme" } }],
  ["the pages themselves", "# A\nSource: /a\n\nWords.\n\n# B\nSource: /b\n\nMore words.\n", { pages: [{}, {}] }],
])("a thread returns for %s what this thread does", async (_, text, expected) => {
  const parsed = await parseFileOnThread({ pool, signal: new AbortController().signal }, file(text));
  expect(parsed).toEqual(parseFile(file(text)));
  expect(parsed).toMatchObject(expected);
});

it("a run that is cancelled ends the thread that parses", async () => {
  const stop = new AbortController();
  const parsing = parseFileOnThread({ pool, signal: stop.signal }, file("- [a](/b c) ".repeat(2_000_000)));
  stop.abort(new Error("enough"));
  await expect(parsing).rejects.toThrow("enough");
});
