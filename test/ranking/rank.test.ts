import { describe, expect, it } from "vitest";
import { searchFields, type Candidates, type RankLimits } from "../../domain/ports.ts";
import type { Passage } from "../../domain/passage.ts";
import { analysePassage, isBelowTitle, occurrencesIn } from "../../search/ranking/analyse-text.ts";
import { explain } from "../../search/ranking/explain.ts";
import { analyseQuestion, lookedUp } from "../../search/ranking/analyse-question.ts";
import { meaningOfPassage } from "../../search/ranking/meaning.ts";
import { rank } from "../../search/ranking/rank.ts";
import { codePassage, prosePassage } from "../contracts/passage-samples.ts";

const filler = Array.from({ length: 20 }, (_, at) =>
  prosePassage(`zz${at}`, "Other matters of no concern, told at some length."),
);

describe("rank", () => {
  it("puts a term in the title before the same term in the prose", () => {
    expect(
      order(
        "caching",
        prosePassage("body", "About caching here."),
        prosePassage("title", "About it here.", { title: "Caching" }),
      ),
    ).toEqual(["title", "body"]);
  });

  it("puts a passage with the rare term before one with the common term", () => {
    const common = Array.from({ length: 10 }, (_, at) => prosePassage(`c${at}`, "The server starts."));
    expect(order("server websocket", ...common, prosePassage("rare", "The websocket starts."))[0]).toBe("rare");
  });

  it("puts more of the question before more of one word", () => {
    const much = prosePassage("much", "The proxy has a proxy of its own, see the proxy there.");
    expect(
      order("proxy timeout", much, prosePassage("both", "The proxy has a timeout of its own, see there.")),
    ).toEqual(["both", "much"]);
  });

  it("puts a page whose subject is what is asked for before one that says it often, and before one with a longer subject", () => {
    const about = (id: string, subject: string, prose: string): Passage => {
      const passage = prosePassage(id, prose, { path: `${id}.md` });
      return { ...passage, page: { ...passage.page, subject } };
    };
    expect(
      order(
        "create a customer",
        about("often", "list invoices", "Create a customer, then create a customer once more for that customer."),
        about("longer", "create sources customer", "Create it for a customer."),
        about("it", "create customer", "Create it."),
      )[0],
    ).toBe("it");
  });

  it("finds an identifier whatever its style", () => {
    const passages = [
      codePassage("camel", { code: "maxRetryCount" }),
      codePassage("snake", { code: "max_retry_count" }),
    ];
    expect(order("maxRetryCount", ...passages)).toEqual(["camel", "snake"]);
    expect(order("max-retry-count", ...passages)).toEqual(["camel", "snake"]);
    expect(order("retry", ...passages)).toEqual(["camel", "snake"]);
  });

  it("takes singular and plural for the same", () => {
    expect(order("migrations", prosePassage("one", "Run a migration."))).toEqual(["one"]);
    expect(order("migration", prosePassage("many", "Run the migrations."))).toEqual(["many"]);
  });

  it("puts the short text before the long one that says the term as often", () => {
    const long = prosePassage("a-long", `A webhook. ${"More about other matters entirely. ".repeat(20)}`);
    expect(order("webhook", long, prosePassage("b-short", "A webhook."))[0]).toBe("b-short");
  });

  it("finds synonyms, after passages with the same word", () => {
    const same = prosePassage("same", "Set the env of the worker.");
    const other = prosePassage("a-other", "Set the environment of the worker.");
    expect(order("env", other, same)).toEqual(["same", "a-other"]);
  });

  it("finds a misspelt word by its correction", () => {
    const candidates = candidatesOf("shutdown", [prosePassage("it", "A shutdown that loses nothing."), ...filler]);
    const question = analyseQuestion("graceful shutdwon");
    const corrected = { ...candidates, corrections: new Map([["shutdwon", ["shutdown"]]]) };
    expect(rank(question, candidates, limits(5))).toEqual([]);
    expect(rank(question, corrected, limits(5)).map(({ candidate }) => candidate.id)).toEqual(["it"]);
  });

  it("lifts the passages of a page whose others say what they do not", () => {
    const on = (page: string, ...words: string[]) =>
      words.map((word, at) => prosePassage(`${page}${at}`, `It is about the ${word}.`, { page }));
    const alike = [...on("a", "lantern", "lantern"), ...on("c", "violin", "violin")];
    expect(order("lantern violin", ...alike, ...on("b", "lantern", "violin")).slice(0, 2)).toEqual(["b0", "b1"]);
  });

  it("puts the page whose passages together say all of the question before one that says a part of it twice", () => {
    const part = ["a-one", "a-two"].map((id) => prosePassage(id, "The webhook is sent here.", { page: "part" }));
    const all = [
      prosePassage("b-one", "The webhook is sent here.", { page: "all" }),
      prosePassage("b-two", "The timeout is sent here.", { page: "all" }),
    ];
    expect(order("webhook timeout", ...part, ...all, prosePassage("c", "A timeout."), ...filler)[0]).toMatch(/^b-/);
  });

  it("puts the page that is called after the subject before one that says the word somewhat more often", () => {
    const says = (times: number) => `${"The redaction of it. ".repeat(times)}${"The rest of it. ".repeat(8 - times)}`;
    const other = prosePassage("a-other", says(7), { path: "docs/usage.md" });
    const named = prosePassage("b-named", says(4), { path: "docs/redaction.md" });
    const deep = prosePassage("c-deep", says(4), { path: "docs/guides/of/all/kinds/with/redaction.md" });
    expect(order("redaction", other, named, deep)).toEqual(["b-named", "c-deep", "a-other"]);
  });

  it("weighs a rare word with a common synonym less than one without, and more than a common word", () => {
    const says = (id: string, word: string) => prosePassage(id, `It may ${word}.`, { path: "docs/p.md" });
    const limits = Array.from({ length: 24 }, (_, at) => says(`l${at}`, "limit"));
    const glows = Array.from({ length: 8 }, (_, at) => says(`g${at}`, "glow"));
    const both = [...limits, ...glows, says("a-quota", "quota"), says("b-sparkle", "sparkle")];
    expect(order("quota sparkle", ...both).slice(0, 2)).toEqual(["b-sparkle", "a-quota"]);
    expect(order("quota glow", ...both)[0]).toBe("a-quota");
  });

  it("leaves out code that is far from the best, wherever it stands, as it does prose", () => {
    const text = "The timeout of the session is set to five.";
    const best = prosePassage("best", text, { title: "Session timeout", page: "best", path: "docs/p.md" });
    const weak = (id: string, page: string) =>
      codePassage(id, { code: "timeout.session()", title: "Notes", page, path: "docs/p.md" });
    const far = (id: string, page: string) =>
      codePassage(id, { code: `timeout() ${"other() ".repeat(60)}`, title: "Notes", page, path: "docs/p.md" });
    expect(order("session timeout", best, weak("elsewhere", "other"), far("far", "other")).toSorted()).toEqual([
      "best",
      "elsewhere",
    ]);
  });

  it("gives the best page a third of the tokens, and another one three passages, before the others have had their turn", () => {
    const crowd = (name: string, text: string): Passage[] =>
      Array.from({ length: 8 }, (_, at) => ({
        ...prosePassage(`${name}${at}`, text, { title: "Session timeout", page: name }),
        tokens: 500,
      }));
    const passages = [
      ...crowd("a", "Set the session timeout here."),
      ...crowd("b", "Set the session timeout somewhere here."),
    ];
    const other = prosePassage("c", "Set the session timeout anywhere else but here.", { title: "Session timeout" });
    const ids = order("session timeout", ...passages, other);
    expect(ids.slice(0, 7)).toEqual(["a0", "a1", "a2", "b0", "b1", "b2", "c"]);
  });

  it("puts the text right below the title of a page before a section", () => {
    const text = `A webhook. ${"It tells another server of what happens here. ".repeat(3)}`;
    const section = prosePassage("a", text, { title: "Part", breadcrumb: ["Guide", "Part"], page: "one" });
    const below = prosePassage("b", text, { title: "Guide", breadcrumb: ["Guide"], page: "two" });
    expect(order("webhook", section, below)).toEqual(["b", "a"]);
  });

  it("puts a section that says the question before short ones that are joined below the title", () => {
    const text =
      "Run it with the name of the package, and it stands in the file of the project from then on, with its version.";
    const joined = prosePassage("a", `Remove a dependency. ${text}`, {
      title: "Managing dependencies: Removing dependencies, Changing dependencies",
      breadcrumb: ["Managing dependencies"],
    });
    const section = prosePassage("b", `Add a dependency. ${text} ${text}`, {
      title: "Adding dependencies",
      breadcrumb: ["Managing dependencies", "Adding dependencies"],
    });
    expect(order("how do I add a dependency", joined, section)).toEqual(["b", "a"]);
  });

  it("gives a page that clearly leads most of the tokens before weaker ones", () => {
    const best = Array.from({ length: 9 }, (_, at) => ({
      ...prosePassage(`a${at}`, "Set the session timeout here.", { title: "Session timeout", page: "sessions" }),
      tokens: 500,
    }));
    const weak = prosePassage("b", "Set the session timeout here and there.", { title: "Timeout", page: "other" });
    const ids = best.map(({ id }) => id);
    expect(order("session timeout", ...best, weak)).toEqual([...ids.slice(0, 7), "b", ...ids.slice(7)]);
  });

  it("puts near copies of a passage after all other pages that may answer", () => {
    const text = "Set the session timeout here, in seconds, before the first request is sent to the server.";
    const editions = ["v1", "v2", "v3"].map((name) => prosePassage(name, text, { title: "Timeout", page: name }));
    const other = prosePassage("z", "The timeout of a session may also be told by the client.", { title: "Clients" });
    const query = "session timeout";
    const known = candidatesOf(query, [...editions, other]);
    const all = [...editions, other];
    const candidates = known.candidates.map((one, at) => ({ ...one, meaning: meaningOfPassage(all[at] ?? other) }));
    const ranked = rank(analyseQuestion(query), { ...known, candidates }, limits(9));
    expect(ranked.map(({ candidate }) => candidate.id)).toEqual(["v1", "z", "v2", "v3"]);
  });

  it.each([
    ["an announcement", "https://e.com/news/2024-05-01-caching"],
    ["an announcement in a folder of its month", "https://e.com/news/2024/05/caching"],
    ["notes of a release", "https://e.com/docs/versions/v2.4.0.md"],
    ["notes that are called so", "https://e.com/docs/announce/release-2.4.0.rst"],
    ["notes in their folder", "https://e.com/docs/whatsnew/caching.html"],
    ["a post", "https://e.com/docs/blog/caching"],
    ["a guide for contributors", "https://e.com/docs/contributing/caching.adoc"],
    ["a numbered paper", "https://e.com/docs/papers/0042-caching.md"],
    ["a file for contributors", "https://e.com/CONTRIBUTING.md"],
    ["a proposal", "https://e.com/docs/proposals/caching.md"],
    ["a page that is called a proposal", "https://e.com/docs/PROPOSAL-caching.md"],
  ])("puts %s after the guide that says the same", (_, url) => {
    const text = `Set up caching. ${"It keeps what was read for as long as you say. ".repeat(3)}`;
    const at = (id: string, address: string): Passage => {
      const passage = prosePassage(id, text, { title: "Caching" });
      return { ...passage, page: { ...passage.page, url: address } };
    };
    const guides = ["https://e.com/docs/install.md", "https://e.com/docs/use.md"].map((address, number) => ({
      ...prosePassage(`g${number}`, "Caching is told of elsewhere."),
      page: { url: address, title: "" },
    }));
    const all = [at("a", url), at("b", "https://e.com/docs/guide.md"), ...guides];
    const ordered = (query: string) =>
      rank(analyseQuestion(query), candidatesOf(query, all), limits(4))
        .map(({ candidate }) => candidate.id)
        .filter((id) => !id.startsWith("g"));
    expect(ordered("caching")).toEqual(["b", "a"]);
    expect(ordered("caching in release 2.4")[0]).toBe("a");
  });

  it("puts notes of a release after all else, however well they match", () => {
    const at = (url: string, { page, ...passage }: Passage): Passage => ({ ...passage, page: { ...page, url } });
    const notes = at("https://e.com/docs/changelog.html", prosePassage("a", "Caching timeout.", { title: "Caching" }));
    const guide = at("https://e.com/docs/guide.html", prosePassage("b", "A timeout of caching, which is set."));
    const settings = at("https://e.com/docs/blog.html", prosePassage("c", "The timeout of caching a blog."));
    expect(order("caching timeout", notes, guide, settings)).toEqual(["c", "b", "a"]);
  });

  it("puts first of equal matches what means the same, of those that match best", () => {
    const texts = ["Requests are sent again after a failure of the network.", "The network has colours and a logo."];
    const passages = texts.map((text, at) => prosePassage(`${at}`, text, { title: "Network" }));
    const query = "retry when the network breaks";
    const known = candidatesOf(query, passages.toReversed());
    const meanings = new Map(passages.map((one) => [one.id, meaningOfPassage(one)]));
    const candidates = known.candidates.map((one) => ({ ...one, meaning: meanings.get(one.id) ?? one.meaning }));
    const ranked = rank(analyseQuestion(query), { ...known, candidates }, limits(2));
    expect(ranked.map(({ candidate }) => candidate.id)).toEqual(["0", "1"]);
    expect(ranked[0]?.parts.meaning).toBeGreaterThan(ranked[1]?.parts.meaning ?? 1);
  });

  it("leaves out what is far worse than the best", () => {
    const good = prosePassage("good", "The session timeout.", { title: "Session timeout" });
    const weak = prosePassage("weak", `A session. ${"More about other matters entirely. ".repeat(30)}`);
    expect(order("session timeout redis", good, weak)).toEqual(["good"]);
  });

  it("orders equal passages by id, whatever the order they come in", () => {
    const passages = ["b", "c", "a"].map((id) => prosePassage(id, "Exactly the same webhook.", { path: "docs/p.md" }));
    expect(order("webhook", ...passages)).toEqual(["a", "b", "c"]);
    expect(order("webhook", ...passages.toReversed())).toEqual(["a", "b", "c"]);
  });

  it("gives no more than the limit, and scores that only fall", () => {
    const passages = Array.from({ length: 30 }, (_, at) => prosePassage(`s${at}`, `webhook ${"filler ".repeat(at)}`));
    const ranked = rank(analyseQuestion("webhook"), candidatesOf("webhook", passages), limits(7));
    expect(ranked).toHaveLength(7);
    expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).toSorted((a, b) => b - a));
  });

  it("leaves out candidates that have no term of the question", () => {
    expect(order("webhook", prosePassage("none", "Nothing."), prosePassage("it", "A webhook."))).toEqual(["it"]);
    expect(order("?!", prosePassage("none", "Nothing."))).toEqual([]);
  });
});

describe("explain", () => {
  it("gives the same order, and the parts of each score", () => {
    const query = "proxy timeouts";
    const both = prosePassage("both", "The proxy has a timeout of its own.", { title: "Proxy" });
    const passages = [both, prosePassage("much", "The proxy has a proxy."), ...filler];
    const candidates = candidatesOf(query, passages);
    const question = analyseQuestion(query);
    const { words, passages: explained } = explain(question, candidates, limits(100));
    expect(explained.map(({ candidate }) => candidate.id)).toEqual(order(query, ...passages));
    expect(words.map(({ word }) => word)).toEqual(question.terms);
    for (const { own, page, factor, score, earned } of explained) {
      expect(earned.reduce((sum, one) => sum + one, 0)).toBeCloseTo(own);
      expect(factor * (own + page)).toBeCloseTo(score);
    }
    expect(explained[0]?.found).toContainEqual({ term: "proxi", field: "title", times: 1 });
  });
});

/** A number of passages, in an answer of 5,000 tokens. */
function limits(limit: number): RankLimits {
  return { limit, tokens: 5000 };
}

/** The ids that rank for a query, best first, with unrelated passages among the given ones. */
function order(query: string, ...passages: readonly Passage[]): string[] {
  const candidates = candidatesOf(query, [...passages, ...filler]);
  return rank(analyseQuestion(query), candidates, limits(100)).map(({ candidate }) => candidate.id);
}

/** Every passage as a candidate, with the statistics an index would give. */
function candidatesOf(query: string, passages: readonly Passage[]): Candidates {
  const analysed = passages.map((passage) => analysePassage(passage));
  const lengths = analysed.map((fields) => searchFields.map((field) => fields[field].length));
  const candidates = passages.map(({ id, page, tokens }, at) => ({
    id,
    pageUrl: page.url,
    belowTitle: analysed[at] !== undefined && isBelowTitle(analysed[at]),
    lengths: lengths[at] ?? [],
    tokens,
    meaning: new Int8Array(),
  }));
  const mean = (all: readonly number[]) => all.reduce((sum, length) => sum + length, 0) / all.length;
  const [title, breadcrumb, path, prose, code, identifiers, subject] = searchFields.map((_, field) =>
    mean(lengths.map((own) => own[field] ?? 0)),
  ) as [number, number, number, number, number, number, number];
  const frequency = (term: string) =>
    analysed.filter((fields) => Object.values(fields).some((terms) => terms.includes(term))).length;
  const terms = lookedUp(analyseQuestion(query));
  return {
    total: candidates.length,
    averageLength: { title, breadcrumb, path, prose, code, identifiers, subject },
    documentFrequency: new Map(terms.map((term) => [term, frequency(term)])),
    model: "",
    corrections: new Map(),
    candidates,
    occurrences: occurrencesIn(analysed, terms),
    read: async (ids) => passages.filter(({ id }) => ids.includes(id)),
  };
}
