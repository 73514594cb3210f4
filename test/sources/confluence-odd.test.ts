import { describe, expect, it } from "vitest";
import { pageOf } from "../contracts/confluence.ts";
import { setup } from "./confluence-setup.ts";

type Json = Record<string, unknown>;

/** Changes each result of a list. */
function each(body: unknown, change: (one: Json) => unknown): unknown {
  const { results } = body as { results?: Json[] };
  return Array.isArray(results) ? { ...(body as Json), results: results.map(change) } : body;
}

describe.each(["cloud", "data-center"] as const)("in %s", (product) => {
  it("pages with missing or odd fields are read", async () => {
    const { confluence, index } = await setup(product);
    const home = confluence.add("Home", pageOf("Homing"));
    const bare = confluence.add("Bare", pageOf("Baring"));
    confluence.add("Below", pageOf("Lowering"), { parent: home });
    const strange = confluence.add("Strange", pageOf("Straying"));
    confluence.odd = (_path, body) =>
      each(body, (one) => {
        if (one["id"] === bare)
          return { id: bare, title: "Bare", body: one["body"], restrictions: one["restrictions"] };
        if (one["id"] !== strange) return one;
        return { ...one, version: "three", position: {}, extensions: 7, _links: { webui: "//evil.example/x" } };
      });
    confluence.odd = ((odd) => (path: string, body: unknown) => {
      const changed = odd(path, body) as { results?: unknown[] };
      return Array.isArray(changed.results)
        ? { ...changed, results: [null, 7, "text", {}, { id: "../../etc" }, { id: -1 }, ...changed.results] }
        : changed;
    })(confluence.odd);
    const { read, passages } = await index();
    expect(read.toSorted()).toEqual(["Bare", "Below", "Home", "Strange"]);
    expect(passages.some(({ source }) => source.url.includes("evil.example"))).toBe(false);
    expect((await index()).unchanged).toBe(true);
  });

  it("pages in a circle, and those below an unknown one, are read once", async () => {
    const { confluence, index } = await setup(product);
    const one = confluence.add("One", pageOf("Onering"));
    const two = confluence.add("Two", pageOf("Twoing"), { parent: one });
    confluence.add("Orphan", pageOf("Orphaning"));
    confluence.odd = (_path, body) =>
      each(body, (page) => {
        if (page["id"] === one) return { ...page, parentId: two, parentType: "page", ancestors: [{ id: two }] };
        return page;
      });
    const { read } = await index();
    expect(read.toSorted()).toEqual(["One", "Orphan", "Two"]);
  });

  it.each([
    ["no JSON", (): unknown => "<html>Log in</html>"],
    ["a list", (): unknown => []],
    ["nothing", (): unknown => null],
    ["results that are no list", (): unknown => ({ results: "none" })],
  ])("a space whose answers are %s fails", async (_what, answer) => {
    const { confluence, index } = await setup(product);
    confluence.add("Home", pageOf("Homing"));
    await index();
    confluence.odd = answer;
    await expect(index()).rejects.toMatchObject({ code: expect.stringMatching(/^source_/) as string });
  });
});
