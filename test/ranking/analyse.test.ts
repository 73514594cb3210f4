import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Passage } from "../../domain/passage.ts";
import { analyse, analysePassage } from "../../search/ranking/analyse-text.ts";
import { termsOf, wordsOf } from "../../search/ranking/terms.ts";
import { codePassage, mixedPassage, prosePassage } from "../contracts/passage-samples.ts";

describe("analyse", () => {
  it.each([
    ["Routers and routes", "router and rout"],
    ["useRouter", "us router userout"],
    ["use_router use-router", "us router userout us router userout"],
    ["HTMLElement XMLHttpRequest", "html element htmlelement xml http request xmlhttprequest"],
    ["getURLs", "get url geturl"],
    ["fs.readFile()", "fs read file readfil fs.readfile"],
    ["node.js next.config.js", "node js node.js next config js next.config.js"],
    ["utf8 es2024", "utf 8 utf8 es 2024 es2024"],
    ["i18n k8s h1 v2", "i18n k8s h1 v2"],
    ["C++ c# F# .NET", "c++ c# f# .net"],
    ["Ёлка счётчик всё е\u0308", "елка счетчик все е"],
    ["dotnet openai-dotnet", ".net openai .net openaidotnet"],
    ["i++ .map __init__ --save-dev", "i map init save dev savedev"],
    ["a3f9c2e7b1d4", "a3f9c2e7b1d4"],
    ["ﬁle ＡＰＩ", "file api"],
    ["Straße naïve ОбработкаДанных", "straße naïve обработка данных обработкаданных"],
    ["数据库 接続する", "数据 据库 接続 続す する"],
    ["end. Next, one: (two)", "end next on two"],
    ["?! -- ...", ""],
  ])("makes of %s the terms %s", (text, terms) => {
    expect(analyse(text).join(" ")).toBe(terms);
  });

  it("makes terms of any text that are short, not empty, and free of what separates them", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        for (const term of analyse(text)) expect(term).toMatch(/^[^\s"A-Z]{1,64}$/u);
      }),
    );
  });

  it.each([
    ["ASCII", fc.constantFrom(..."abZ09_.-+# (".split(""))],
    ["quotes and dashes", fc.constantFrom(..."abZ09_.-+# (—’→…".split(""))],
    ["other scripts", fc.constantFrom(..."abZ9_.-+# (éд数ﬁ’".split(""))],
  ])("makes the same terms of a text as of its single words, with %s", (_, unit) => {
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
        expect(analyse(text)).toEqual(wordsOf(text).flatMap(termsOf));
      }),
      { numRuns: 1000 },
    );
  });

  it("drops data that is no word, and handles long text quickly", () => {
    expect(analyse("x".repeat(65))).toEqual([]);
    expect(analyse("a_".repeat(200_000)).length).toBeLessThan(200_000);
    expect(analyse("word ".repeat(100_000)).length).toBe(20_000);
  });

  it("gives the same terms after more words than it remembers", () => {
    const before = analyse("parseLibraryId");
    for (let at = 0; at < 60_000; at++) analyse(`word${at} parseLibraryId`);
    expect(analyse("parseLibraryId")).toEqual(before);
  });
});

describe("analysePassage", () => {
  it("puts each part of a passage with code into its field", () => {
    const passage = codePassage("a", {
      title: "Navigating",
      description: "Call `push` of the [router](https://example.com/hidden).",
      code: "const userRouter = makeIt();",
      path: "docs/app/getting-started.mdx",
    });
    expect(fieldsOf(passage)).toEqual({
      title: "navig",
      breadcrumb: "",
      path: "doc app get start gettingstart",
      identifiers: "push userrout makeit",
      prose: "call push of the router",
      code: "const user router userrout make it makeit",
      subject: "",
    });
  });

  it("takes the prose of a passage, its headings, and the path of a page without a file", () => {
    const passage = prosePassage("a", "Some words.", { title: "Setup", breadcrumb: ["Guide", "First steps"] });
    const page = { title: "Guide", url: "https://docs.example.com/guide/setup.html?x=secret" };
    const fields = fieldsOf({ ...passage, page, source: { url: page.url, revision: "r1" } });
    expect(fields).toMatchObject({ breadcrumb: "guid first step", path: "guid setup", prose: "some word", code: "" });
  });

  it("takes the subject of a page, and routes in inline code as one identifier each", () => {
    const passage = prosePassage("a", "Send `POST /v1/customers/{id}`, or `go`.");
    const page = { ...passage.page, subject: "update customers" };
    expect(fieldsOf({ ...passage, page })).toMatchObject({
      subject: "updat custom",
      identifiers: "post v1customersid go",
    });
  });

  it("takes all prose of a passage into one field and all code into another, whatever their order", () => {
    const passage = mixedPassage("a", "Call `first`.", "useIt();", "Then `second`, or [so](https://example.com/x).");
    expect(fieldsOf(passage)).toMatchObject({
      prose: "call first then second or so",
      code: "us it useit",
      identifiers: "first second useit",
    });
  });

  it("takes the headings above, without the passage's own", () => {
    const breadcrumb = ["Guide", "First steps", "Setup"];
    const fields = fieldsOf(prosePassage("a", "Words.", { title: "Setup", breadcrumb }));
    expect(fields).toMatchObject({ title: "setup", breadcrumb: "guid first step" });
  });

  it("keeps identifiers that are long, of another script, or met before in another field, each once", () => {
    const long = `read_${"very_".repeat(9)}long`;
    const code = `${long}(); ${long}(); ОбработкаДанных(); useIt(); use_it(); plain()`;
    const { identifiers } = fieldsOf(codePassage("a", { title: "useIt", description: "`plain`", code }));
    expect(identifiers).toBe(`plain ${long.replaceAll("_", "")} useit`);
  });

  it("indexes a bounded number of identifiers", () => {
    const code = Array.from({ length: 1000 }, (_, at) => `call_number_x${at}`).join("\n");
    expect(analysePassage(codePassage("a", { code })).identifiers).toHaveLength(200);
  });
});

/** The fields of a passage, the terms of each joined with single spaces. */
function fieldsOf(passage: Passage): Record<string, string> {
  return Object.fromEntries(Object.entries(analysePassage(passage)).map(([field, terms]) => [field, terms.join(" ")]));
}
