import { expect, it } from "vitest";
import type { Passage } from "../../domain/passage.ts";
import { passagesOf, texts } from "../api/page-world.ts";
import { serve } from "../api/serving.ts";
import { setup } from "../api/setup.ts";
import { proseOf } from "../support/outlined.ts";
import { inPipe, jsonLines } from "../support/command-line.ts";

/** A server with a library of pages, and the command line that calls it. */
async function commandLine(passages = passagesOf(texts)) {
  const world = await setup();
  await world.finish(await world.submit("/acme/widgets"), passages);
  const { server } = await serve(world.app);
  return {
    lectern: (...args: readonly string[]) =>
      inPipe(args, { env: { PUBLIC_URL: server.url, LECTERN_ADMIN_KEY: "operator-key-of-the-tests" } }),
    asked: async (query: object) =>
      (await world.send("GET", `/v2/page?${new URLSearchParams({ libraryId: "/acme/widgets", ...query }).toString()}`))
        .body,
  };
}

it("lectern pages lists all pages, those of a list of several parts too, or those with a word", async () => {
  const [sample] = passagesOf({ "last.md": `# Last\n\n## The zebra crossing\n\n${proseOf("it")}\n` });
  if (sample === undefined) throw new Error("The page has no passage.");
  // A thousand are listed in one answer.
  const passages = Array.from({ length: 1001 }, (_, at): Passage => {
    const { page, source } = sample;
    const title = at === 1000 ? "Last" : "Other";
    const breadcrumb = at === 1000 ? sample.breadcrumb : [title];
    return {
      ...sample,
      breadcrumb,
      page: { ...page, title, url: `${page.url}/${at}` },
      source: { ...source, path: `p${at}.md` },
    };
  });
  const { lectern } = await commandLine(passages);
  const { code, stdout, stderr } = await lectern("pages", "/acme/widgets");
  expect([code, stderr]).toEqual([0, ""]);
  expect(jsonLines(stdout).map(({ name }) => name)).toEqual(Array.from(passages, (_, at) => `p${at}.md`));
  const found = await lectern("pages", "/acme/widgets", "zebra", "crossing");
  expect(jsonLines(found.stdout)).toMatchObject([{ page: "p1000.md", sections: [{ section: "the-zebra-crossing" }] }]);
});

it("lectern read prints a page or a section of it, from a passage on, within a budget, as text or JSON", async () => {
  const { lectern, asked } = await commandLine();
  const printed = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await lectern("read", "/acme/widgets", ...args);
    expect([code, stderr]).toEqual([0, ""]);
    return stdout;
  };
  expect(await printed("guide.md#proxy")).toBe(`${(await asked({ page: "guide.md", section: "proxy" })) as string}\n`);
  const more = ["--section", "proxy", "--from", "2", "--tokens", "300"];
  const query = { page: "guide.md", section: "proxy", from: "2", tokens: "300" };
  expect(await printed("guide.md", ...more)).toBe(`${(await asked(query)) as string}\n`);
  expect(JSON.parse(await printed("guide.md", ...more, "--json"))).toEqual(await asked({ ...query, type: "json" }));
});

it("lectern ask prints the answer of the library that it names, or else of the one that answers best", async () => {
  const { lectern } = await commandLine();
  const printed = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await lectern("ask", ...args);
    expect([code, stderr]).toEqual([0, ""]);
    return stdout;
  };
  const answer = await printed("acme/widgets", "how does widgets set a proxy");
  expect(answer).toMatch(/^#+ .*proxy/im);
  const [sentence, , ...rest] = (await printed("how does widgets set a proxy")).split("\n");
  expect(sentence).toBe("Answered from /acme/widgets.");
  expect(rest.join("\n")).toBe(answer);
  expect(JSON.parse(await printed("how", "does", "widgets", "set", "a", "proxy", "--json"))).toMatchObject({
    library: "/acme/widgets",
    others: [],
  });
});

it.each([
  [["ask", "/acme/widgets"], 2, "There is no question to /acme/widgets"],
  [["ask", "zzyzx"], 1, "No library says anything about this question"],
  [["read", "/acme/widgets", "none.md"], 1, 'has no page "none.md"'],
  [["read", "/acme/widgets", "guide.md", "--tokens", "many"], 2, "tokens must be a whole number"],
  [["pages", "/acme/none"], 1, "/acme/none"],
] as const)("lectern %j fails with %i", async (args, expected, sentence) => {
  const { lectern } = await commandLine();
  const { code, stdout, stderr } = await lectern(...args);
  expect({ code, stdout }).toEqual({ code: expected, stdout: "" });
  expect(stderr).toContain(sentence);
});
