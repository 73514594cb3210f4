import { describe, expect, it, onTestFinished } from "vitest";
import { searchFields, type Occurrences } from "../../domain/ports.ts";
import { codesOf, type CodeBlock, type Passage } from "../../domain/passage.ts";
import { analyse, analysePassage, occurrencesIn } from "../../search/ranking/analyse-text.ts";
import { ask, control, foundIds, library, type PassageIndexSetup } from "./passage-index-asking.ts";
import { itKeepsEmbeddings } from "./passage-index-embeddings.ts";
import { itLoadsGenerations } from "./passage-index-loads.ts";
import { codePassage, mixedPassage, partsOf, prosePassage } from "./passage-samples.ts";

/** What every PassageIndex must do; `create` makes an empty one. One test file per adapter calls this. */
export function describePassageIndex(name: string, create: () => Promise<PassageIndexSetup>): void {
  async function setup(): Promise<PassageIndexSetup> {
    const made = await create();
    onTestFinished(() => made.index.close());
    return made;
  }

  describe(`${name} as a PassageIndex`, () => {
    it("confirms how many passages it has loaded, and finds them", async () => {
      const { index } = await setup();
      expect(await index.load("g1", partsOf(library, 3), control())).toBe(4);
      expect(await index.count("g1")).toBe(4);
      expect(await foundIds(index, "g1", "navigate with the router")).toContain("router");
    });

    it("gives back every passage as it was loaded", async () => {
      const { index } = await setup();
      const many = Array.from({ length: 250 }, (_, at) =>
        prosePassage(`s${at}`, `Same words, ${"more ".repeat(at)}\n"é" 数据`),
      );
      await index.load("g1", partsOf(many), control());
      const { candidates, read } = await ask(index, "g1", "words", { limit: 250 });
      expect(candidates).toHaveLength(250);
      expect(await read(many.map(({ id }) => id))).toEqual(many);
      expect(await read(["s7", "s3"])).toEqual([many[7], many[3]]);
      expect(await read([])).toEqual([]);
    });

    it("returns for a candidate what the ranker needs", async () => {
      const { index } = await setup();
      await index.load("g1", partsOf(library), control());
      const { candidates } = await ask(index, "g1", "cache");
      expect(candidates).toHaveLength(1);
      expect(candidates[0]).toMatchObject({
        id: "cache",
        pageUrl: "https://docs.example.com/cache",
        tokens: 40,
      });
      expect(candidates[0]?.lengths[searchFields.indexOf("title")]).toBe(analyse("Cache a response").length);
      expect(candidates[0]?.lengths[searchFields.indexOf("prose")]).toBe(0);
    });

    it("returns which candidates are directly below the title of their page", async () => {
      const { index } = await setup();
      const below = { ...prosePassage("below", "A shared word."), title: "Guide", breadcrumb: ["Guide"] };
      const joined = { ...prosePassage("joined", "A shared word."), title: "Guide, Setup", breadcrumb: ["Guide"] };
      const section = { ...prosePassage("section", "A shared word."), title: "Setup", breadcrumb: ["Guide", "Setup"] };
      await index.load("g1", partsOf([below, joined, section]), control());
      const { candidates } = await ask(index, "g1", "shared");
      expect(Object.fromEntries(candidates.map(({ id, belowTitle }) => [id, belowTitle]))).toEqual({
        below: true,
        joined: true,
        section: false,
      });
    });

    it("counts every term in every field of the candidates, even common ones", async () => {
      const { index } = await setup();
      const many = Array.from({ length: 30 }, (_, at) =>
        prosePassage(`n${at}`, `The router calls \`use_router\` ${"path ".repeat(at)}and topic${at % 3}.`),
      );
      const all = [...library, ...many];
      await index.load("g1", partsOf(all), control());
      const query = "useRouter in the router calls path topic1 toppic2 nowhere";
      const { candidates, documentFrequency, occurrences } = await ask(index, "g1", query, { limit: 50 });
      const analysed = candidates.map(({ id }) =>
        analysePassage(all.find((passage) => passage.id === id) ?? prosePassage("none", "")),
      );
      expect(candidates.map(({ lengths }) => [...(lengths as number[])])).toEqual(
        analysed.map((fields) => searchFields.map((field) => fields[field].length)),
      );
      const expected = occurrencesIn(analysed, documentFrequency.keys());
      expect([...expected.values()].filter(({ length }) => length > 0).length).toBeGreaterThan(5);
      for (const term of documentFrequency.keys())
        expect(triples(occurrences.get(term)), term).toEqual(triples(expected.get(term)));
    });

    it("counts exactly in how many passages a term occurs, and how long fields are", async () => {
      const { index } = await setup();
      await index.load("g1", partsOf(library), control());
      const { total, documentFrequency, averageLength } = await ask(index, "g1", "useRouter path nowhere", {
        limit: 1,
      });
      expect(total).toBe(4);
      expect(Object.fromEntries(documentFrequency)).toEqual({
        us: 2,
        router: 2,
        [analyse("useRouter")[2] ?? ""]: 2,
        path: 1,
        nowher: 0,
      });
      expect(averageLength.title).toBe((analyse("Navigate with useRouter").length + 3) / 4);
    });

    it("counts every term of a long question, and finds by its rarest ones", async () => {
      const { index } = await setup();
      const words = Array.from({ length: 40 }, (_, at) => `topic${at}`);
      const common = Array.from({ length: 10 }, (_, at) => prosePassage(`common${at}`, words.slice(0, 39).join(" ")));
      await index.load("g1", partsOf([...common, prosePassage("rare", "All about topic39.")]), control());
      const { documentFrequency, candidates } = await ask(index, "g1", words.join(" "), { limit: 4 });
      expect(words.map((word) => documentFrequency.get(analyse(word).at(-1) ?? ""))).toEqual(
        words.map((_, at) => (at < 39 ? 10 : 1)),
      );
      expect(candidates.map(({ id }) => id)).toContain("rare");
    });

    it("finds by synonyms", async () => {
      const { index } = await setup();
      await index.load("g1", partsOf([prosePassage("other", "About authentication."), ...library]), control());
      expect(await foundIds(index, "g1", "the auth")).toEqual(["other"]);
    });

    it("finds misspelt words by terms of similar spelling, and names those", async () => {
      const { index } = await setup();
      const passages = [prosePassage("down", "A graceful shutdown."), prosePassage("set", "The configuration.")];
      await index.load("g1", partsOf([...passages, ...library]), control());
      const { candidates, corrections, documentFrequency } = await ask(index, "g1", "shutdwon configuratoin nothing");
      expect(candidates.map(({ id }) => id).toSorted()).toEqual(["down", "set"]);
      expect(Object.fromEntries(corrections)).toEqual({ shutdwon: ["shutdown"], configuratoin: ["configur"] });
      expect([documentFrequency.get("shutdown"), documentFrequency.get("shutdwon")]).toEqual([1, 0]);
      const known = await ask(index, "g1", "shutdown");
      expect([...known.corrections]).toEqual([]);
    });

    it("tells words apart that differ only in a sign or an accent", async () => {
      const { index } = await setup();
      const texts = { plus: "C++", sharp: "C#", plain: "naive", accented: "naïve", dotted: "node.js" };
      const passages = Object.entries(texts).map(([id, text]) => prosePassage(id, `About ${text} and more.`));
      await index.load("g1", partsOf(passages), control());
      for (const [id, text] of Object.entries(texts)) expect(await foundIds(index, "g1", text)).toEqual([id]);
    });

    it("leaves out passages that are not served", async () => {
      const { index } = await setup();
      const flagged = [
        codePassage("bad", { title: "cache", flags: ["quarantined"] }),
        codePassage("twice", { flags: ["duplicate"] }),
      ];
      expect(await index.load("g1", partsOf([...flagged, ...library]), control())).toBe(4);
      expect(await foundIds(index, "g1", "cache")).toEqual(["cache"]);
    });

    it("finds what fits a filter by common words if the rare ones are only in what does not fit", async () => {
      const { index } = await setup();
      const widgets = ["go", "ruby", "rust"].map((language) =>
        codePassage(language, { title: "A widget", language, code: "widget.show()" }),
      );
      const install = codePassage("install", { title: "Install", language: "bash", code: "npm install it" });
      await index.load("g1", partsOf([...widgets, install]), control());
      expect(await foundIds(index, "g1", "install the widget", { language: "ruby" })).toEqual(["ruby"]);
      expect(await foundIds(index, "g1", "install the widget", { kind: "code", language: "go" })).toEqual(["go"]);
    });

    it("filters by kind and by language", async () => {
      const { index } = await setup();
      await index.load("g1", partsOf(library), control());
      const question = "useRouter cache routing";
      expect(await foundIds(index, "g1", question, { kind: "info" })).toEqual(["routing"]);
      expect(await foundIds(index, "g1", question, { kind: "code" })).toEqual(["cache", "router"]);
      expect(await foundIds(index, "g1", question, { language: "python" })).toEqual(["cache"]);
      expect(await foundIds(index, "g1", question, { kind: "info", language: "python" })).toEqual([]);
      expect(await foundIds(index, "g1", question, { language: 'x" OR "kind=code' })).toEqual([]);
    });

    it("finds a passage of prose and code by either, whichever kind is asked for, and gives it back whole", async () => {
      const { index } = await setup();
      const both = mixedPassage("both", "Wrap the handler:", "retry(handler)", "It is tried thrice.", {
        title: "Retries",
      });
      await index.load("g1", partsOf([both, ...library]), control());
      for (const word of ["wrap", "retry", "thrice"]) {
        expect(await foundIds(index, "g1", word)).toEqual(["both"]);
        expect(await foundIds(index, "g1", word, { kind: "code", language: "ts" })).toEqual(["both"]);
        expect(await foundIds(index, "g1", word, { kind: "info" })).toEqual(["both"]);
        expect(await foundIds(index, "g1", word, { language: "python" })).toEqual([]);
      }
      expect(await (await ask(index, "g1", "thrice")).read(["both"])).toEqual([both]);
    });

    it("takes code without a language for code in the language of the load, and leaves other code as it is", async () => {
      const { index } = await setup();
      const blocks = Array.from({ length: 40 }, (_, at) => ({ language: "", code: `cache ${at} 数据` }));
      const plain = codePassage("plain", { language: "", code: 'cache.set("language", "")' });
      const many = withCodes(codePassage("many"), [...blocks, { language: "go", code: "cache", file: "a.go" }]);
      const info = prosePassage("info", 'A cache with "language":"" in its text.');
      const mixed = mixedPassage("mixed", "Before it.", "cache()", "Behind it.", { language: "" });
      const all = [plain, many, info, mixed];
      await index.load("g1", partsOf([...all, ...library]), { ...control(), language: "typescript" });
      expect(await foundIds(index, "g1", "cache", { language: "typescript" })).toEqual(["many", "mixed", "plain"]);
      expect(await foundIds(index, "g1", "cache", { language: "go" })).toEqual(["many"]);
      expect(await foundIds(index, "g1", "cache", { language: "python" })).toEqual(["cache"]);
      const { candidates, read } = await ask(index, "g1", "cache");
      const ids = candidates.map(({ id }) => id);
      const texts = await read(ids);
      const passages = new Map(ids.map((id, at) => [id, texts[at]]));
      const filled = (passage: Passage): Passage =>
        withCodes(
          passage,
          codesOf(passage).map((block) => ({ ...block, language: block.language || "typescript" })),
        );
      expect(passages).toEqual(new Map([...all, ...library.slice(1, 2)].map((one) => [one.id, filled(one)])));
    });

    it("leaves code without a language without one where the load has none", async () => {
      const { index } = await setup();
      const plain = codePassage("plain", { language: "", code: "cache" });
      await index.load("g1", partsOf([plain, ...library]), control());
      expect(await (await ask(index, "g1", "cache")).read(["plain"])).toEqual([plain]);
      expect(await foundIds(index, "g1", "cache", { language: "ts" })).toEqual([]);
    });

    it("returns no more candidates than asked for, the best ones", async () => {
      const { index } = await setup();
      const weak = Array.from({ length: 30 }, (_, at) =>
        prosePassage(`weak${at}`, `A page that says proxy once. ${"Filler text. ".repeat(20)}`),
      );
      await index.load(
        "g1",
        partsOf([...weak, prosePassage("strong", "Set up a proxy.", { title: "Proxy" }), ...library]),
        control(),
      );
      const ids = await foundIds(index, "g1", "proxy", { limit: 5 });
      expect(ids).toHaveLength(5);
      expect(ids).toContain("strong");
    });

    it("finds by its title a passage about a word that most passages have", async () => {
      const { index } = await setup();
      const saying = Array.from({ length: 400 }, (_, at) =>
        prosePassage(`saying-${at}`, `Everything holds some state, as number ${at} does too.`),
      );
      const about = { ...prosePassage("about", "It is kept between two renderings."), title: "State" };
      await index.load("g1", partsOf([...saying.slice(0, 200), about, ...saying.slice(200)]), control());
      expect(await foundIds(index, "g1", "state", { limit: 50 })).toContain("about");
    });

    it("finds nothing for a question without terms, or with terms that no passage has", async () => {
      const { index } = await setup();
      await index.load("g1", partsOf(library), control());
      expect(await foundIds(index, "g1", "?!")).toEqual([]);
      expect(await foundIds(index, "g1", "xylophone")).toEqual([]);
    });

    it("takes a question that looks like a query language as words", async () => {
      const { index } = await setup();
      await index.load("g1", partsOf(library), control());
      expect(await foundIds(index, "g1", `title:"cache" AND NOT (router* OR {prose}: ^x) NEAR(a b)`)).toContain(
        "cache",
      );
    });

    it.each(["数据库", "C++", "c#", ".NET", "node.js", "naïve", "v2.1.0", "Обработка", "i18n", "h1"])(
      "finds %s",
      async (term) => {
        const { index } = await setup();
        await index.load("g1", partsOf([...library, prosePassage("it", `About ${term} and more.`)]), control());
        expect(await foundIds(index, "g1", term)).toEqual(["it"]);
      },
    );

    itLoadsGenerations(setup);
    itKeepsEmbeddings(setup);

    it("is ready", async () => {
      const { index } = await setup();
      await expect(index.ready()).resolves.toBeUndefined();
    });
  });
}

/** The passage with these blocks of code in place of its own. */
function withCodes(passage: Passage, codes: readonly CodeBlock[]): Passage {
  const blocks = passage.blocks.map((block) => (block.type === "code" ? { ...block, codes } : block));
  return { ...passage, blocks };
}

/** Occurrences in a form that can be compared: an index may return them in any order. */
function triples(occurrences: Occurrences = []): readonly string[] {
  const joined: string[] = [];
  for (let at = 0; at < occurrences.length; at += 3) joined.push(occurrences.slice(at, at + 3).join(" "));
  return joined.toSorted();
}
