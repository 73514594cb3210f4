import { describe, expect, it } from "vitest";
import { searchFields } from "../../domain/ports.ts";
import type { Candidates } from "../../domain/ports.ts";
import type { Snippet } from "../../domain/snippet.ts";
import { analyseSnippet, isBelowTitle } from "../../ranking/analyse.ts";
import { occurrencesIn } from "../../ranking/count.ts";
import { kindOfPage } from "../../ranking/page-kinds.ts";
import { analyseQuestion, lookedUp } from "../../ranking/question.ts";
import { rank } from "../../ranking/rank.ts";
import { codeSnippet, infoSnippet } from "../contracts/snippet-samples.ts";

const filler = Array.from({ length: 20 }, (_, at) =>
  infoSnippet(`zz${at}`, "Other matters of no concern, told at some length."),
);

/** The same snippet on a page of this path. */
const proxyPage = (id: string, path: string): Snippet => infoSnippet(id, "The proxy option.", { path, page: path });

describe("rank", () => {
  it("puts a term in the title before the same term in the prose", () => {
    expect(
      order(
        "caching",
        infoSnippet("body", "About caching here."),
        infoSnippet("title", "About it here.", { title: "Caching" }),
      ),
    ).toEqual(["title", "body"]);
  });

  it("puts a snippet with the rare term before one with the common term", () => {
    const common = Array.from({ length: 10 }, (_, at) => infoSnippet(`c${at}`, "The server starts."));
    expect(order("server websocket", ...common, infoSnippet("rare", "The websocket starts."))[0]).toBe("rare");
  });

  it("puts more of the question before more of one word", () => {
    const much = infoSnippet("much", "proxy proxy proxy proxy proxy proxy proxy");
    expect(order("proxy timeout", much, infoSnippet("both", "The proxy has a timeout of its own, see there."))).toEqual(
      ["both", "much"],
    );
  });

  it("puts an identifier that words of the question spell before the same words apart", () => {
    const apart = infoSnippet("a-apart", "The client has a query of its own.");
    const spelt = infoSnippet("b-spelt", "It is made with a queryClient of its own.");
    expect(order("query client", apart, spelt)).toEqual(["b-spelt", "a-apart"]);
    const word = infoSnippet("a-word", "The router has a use of its own.");
    const hook = infoSnippet("b-hook", "It is made with useRouter on its own.");
    expect(order("how do I use router", word, hook)).toEqual(["b-hook", "a-word"]);
  });

  it("counts a word of how many as one more thing asked for, and for less than another word of the question", () => {
    const all = infoSnippet("b-all", "Remove every banner here.");
    const bare = infoSnippet("a-bare", "Remove some banner here.");
    expect(order("remove every banner", bare, all)).toEqual(["b-all", "a-bare"]);
    const said = infoSnippet("b-said", "Banner of it here.");
    const only = infoSnippet("a-only", "Every of it here.");
    expect(order("every banner", only, said)[0]).toBe("b-said");
  });

  it("finds an identifier whatever its style", () => {
    const snippets = [
      codeSnippet("camel", { code: "maxRetryCount" }),
      codeSnippet("snake", { code: "max_retry_count" }),
    ];
    expect(order("maxRetryCount", ...snippets)).toEqual(["camel", "snake"]);
    expect(order("max-retry-count", ...snippets)).toEqual(["camel", "snake"]);
    expect(order("retry", ...snippets)).toEqual(["camel", "snake"]);
  });

  it("takes singular and plural for the same", () => {
    expect(order("migrations", infoSnippet("one", "Run a migration."))).toEqual(["one"]);
    expect(order("migration", infoSnippet("many", "Run the migrations."))).toEqual(["many"]);
  });

  it("puts the short text before the long one that says the term as often", () => {
    const long = infoSnippet("a-long", `A webhook. ${"More about other matters entirely. ".repeat(20)}`);
    expect(order("webhook", long, infoSnippet("b-short", "A webhook."))[0]).toBe("b-short");
  });

  it("finds what the documentation says in another word for the same, behind what says it in the same word", () => {
    const same = infoSnippet("same", "Set the env of the worker.");
    const other = infoSnippet("a-other", "Set the environment of the worker.");
    expect(order("env", other, same)).toEqual(["same", "a-other"]);
  });

  it("finds a misspelt word by what the index has instead", () => {
    const candidates = candidatesOf("shutdown", [infoSnippet("it", "A shutdown that loses nothing."), ...filler]);
    const question = analyseQuestion("graceful shutdwon");
    const corrected = { ...candidates, corrections: new Map([["shutdwon", ["shutdown"]]]) };
    expect(rank(question, candidates, 5)).toEqual([]);
    expect(rank(question, corrected, 5).map(({ candidate }) => candidate.id)).toEqual(["it"]);
  });

  it("lifts the snippets of a page that has several good ones", () => {
    const several = ["b1", "b2", "b3"].map((id) =>
      infoSnippet(id, "Set the session timeout here.", { page: "several" }),
    );
    const single = infoSnippet("a", "Set the session timeout here.", { page: "single" });
    expect(order("session timeout", single, ...several)).toEqual(["b1", "b2", "b3", "a"]);
  });

  it("lifts the snippets of a page whose others say what they do not", () => {
    const on = (page: string, ...words: string[]) =>
      words.map((word, at) => infoSnippet(`${page}${at}`, `It is about the ${word}.`, { page }));
    const alike = [...on("a", "lantern", "lantern"), ...on("c", "violin", "violin")];
    expect(order("lantern violin", ...alike, ...on("b", "lantern", "violin")).slice(0, 2)).toEqual(["b0", "b1"]);
  });

  it("puts the page whose snippets together say all of the question before one that says a part of it twice", () => {
    const part = ["a-one", "a-two"].map((id) => infoSnippet(id, "The webhook is sent here.", { page: "part" }));
    const all = [
      infoSnippet("b-one", "The webhook is sent here.", { page: "all" }),
      infoSnippet("b-two", "The timeout is sent here.", { page: "all" }),
    ];
    expect(order("webhook timeout", ...part, ...all, infoSnippet("c", "A timeout."), ...filler)[0]).toMatch(/^b-/);
  });

  it("puts a page before the same one some folders deeper", () => {
    const path = "docs/page.md";
    const deep = infoSnippet("a-deep", "The webhook is sent here.", { page: "one/two/three/page", path });
    const high = infoSnippet("b-high", "The webhook is sent here.", { page: "page", path });
    expect(order("webhook", deep, high)).toEqual(["b-high", "a-deep"]);
  });

  it("puts a title that the question says wholly before one that says more besides", () => {
    const more = infoSnippet("a-more", "It is sent here.", { title: "Webhook delivery and order" });
    const only = infoSnippet("b-only", "It is sent here.", { title: "Webhook" });
    expect(order("webhook", more, only)).toEqual(["b-only", "a-more"]);
  });

  it("puts the page that is called after the subject before one that says the word somewhat more often", () => {
    const says = (times: number) => `${"The redaction of it. ".repeat(times)}${"The rest of it. ".repeat(8 - times)}`;
    const other = infoSnippet("a-other", says(7), { path: "docs/usage.md" });
    const named = infoSnippet("b-named", says(4), { path: "docs/redaction.md" });
    const deep = infoSnippet("c-deep", says(4), { path: "docs/guides/of/all/kinds/with/redaction.md" });
    expect(order("redaction", other, named, deep)).toEqual(["b-named", "c-deep", "a-other"]);
  });

  it("puts what stands below the title of its page before the same in a section of another page", () => {
    const said = "Set the session timeout here.";
    const inSection = infoSnippet("a-section", said, { title: "Sessions", breadcrumb: ["Manual", "Sessions"] });
    const introduction = infoSnippet("b-introduction", said, { title: "Sessions", breadcrumb: ["Sessions"] });
    const joined = infoSnippet("b-joined", said, { title: "Sessions: Store, Keys", breadcrumb: ["Sessions"] });
    const likeIt = infoSnippet("a-like", said, { title: "Sessions: Store, Keys", breadcrumb: ["Session", "Sessions"] });
    expect(order("session timeout", inSection, introduction)[0]).toBe("b-introduction");
    expect(order("timeout", likeIt, joined)[0]).toBe("b-joined");
  });

  it("puts a snippet of some length before a very short one that says the same", () => {
    const said = "Set the session timeout here.";
    const [short, longer] = [infoSnippet("a-short", said), { ...infoSnippet("b-longer", said), tokens: 50 }];
    expect(order("session timeout", { ...short, tokens: 49 }, longer)).toEqual(["b-longer", "a-short"]);
    expect(order("session timeout", { ...short, tokens: 50 }, longer)).toEqual(["a-short", "b-longer"]);
  });

  it("takes a rare word with a common stand-in for less telling than a rare one without, and than a common one for more", () => {
    const says = (id: string, word: string) => infoSnippet(id, `It may ${word}.`, { path: "docs/p.md" });
    const limits = Array.from({ length: 24 }, (_, at) => says(`l${at}`, "limit"));
    const glows = Array.from({ length: 8 }, (_, at) => says(`g${at}`, "glow"));
    const both = [...limits, ...glows, says("a-flood", "flood"), says("b-sparkle", "sparkle")];
    expect(order("flood sparkle", ...both).slice(0, 2)).toEqual(["b-sparkle", "a-flood"]);
    expect(order("flood glow", ...both)[0]).toBe("a-flood");
  });

  it("leaves out code that is far from the best, unless the best page has it or it is prose", () => {
    const said = "The timeout of the session is set to five.";
    const best = infoSnippet("best", said, { title: "Session timeout", page: "best", path: "docs/p.md" });
    const weak = (id: string, page: string) =>
      codeSnippet(id, { code: "timeout.session()", title: "Notes", page, path: "docs/p.md" });
    const prose = infoSnippet("prose", "Timeout, session.", { title: "Notes", page: "prose", path: "docs/p.md" });
    expect(order("session timeout", best, weak("elsewhere", "other"), weak("own", "best"), prose)).toEqual([
      "best",
      "prose",
      "own",
    ]);
  });

  it("gives a page six snippets before the others have had their turn", () => {
    const crowd = Array.from({ length: 8 }, (_, at) =>
      infoSnippet(`c${at}`, "Set the session timeout here.", { title: "Session timeout", page: "crowd" }),
    );
    const other = infoSnippet("other", "Set the session timeout here.", { title: "Session timeout" });
    expect(order("session timeout", ...crowd, other)).toEqual([
      "c0",
      "c1",
      "c2",
      "c3",
      "c4",
      "c5",
      "other",
      "c6",
      "c7",
    ]);
  });

  it("leaves out what is far worse than the best", () => {
    const good = infoSnippet("good", "The session timeout.", { title: "Session timeout" });
    const weak = infoSnippet("weak", `A session. ${"More about other matters entirely. ".repeat(30)}`);
    expect(order("session timeout redis", good, weak)).toEqual(["good"]);
  });

  it("puts what changed when behind other pages, unless the question asks for that", () => {
    const news = infoSnippet("a-news", "The proxy option.", { path: "docs/CHANGELOG.md" });
    const guide = infoSnippet("b-guide", "The proxy option.", { path: "docs/guide.md" });
    expect(order("proxy option", news, guide)).toEqual(["b-guide", "a-news"]);
    expect(order("proxy option changed in which release", news, guide)).toEqual(["a-news", "b-guide"]);
  });

  it.each([
    ["docs/legacy/proxy.md", "deprecated proxy option"],
    ["docs/tutorial/proxy.md", "tutorial about the proxy option"],
    ["docs/history/proxy.md", "proxy option new in 2.0"],
  ])("puts %s behind other pages, unless the question asks for its kind", (path, asking) => {
    const [rare, page] = [proxyPage("a-rare", path), proxyPage("b-page", "docs/part/proxy.md")];
    expect(order("proxy option", rare, page)).toEqual(["b-page", "a-rare"]);
    expect(order(asking, rare, page)[0]).toBe("a-rare");
  });

  it("takes a page that has history in its name for no change log", () => {
    const [history, other] = [proxyPage("a", "docs/proxy-history.md"), proxyPage("b", "docs/proxy-options.md")];
    expect(order("proxy", history, other)).toEqual(["a", "b"]);
  });

  it("puts a page that explains before one that does not", () => {
    const other = proxyPage("a-other", "docs/things/proxy.md");
    const concept = proxyPage("b-concept", "docs/concepts/proxy.md");
    expect(order("proxy option", other, concept)).toEqual(["b-concept", "a-other"]);
  });

  it("puts both sides of a comparison before what mentions both", () => {
    const both = ["both1", "both2", "both3"].map((id) =>
      infoSnippet(id, "Of updateTag and revalidateTag, of updateTag and revalidateTag.", {
        title: "updateTag, revalidateTag",
      }),
    );
    const first = infoSnippet("first", "With updateTag a tag expires: updateTag takes its name.", {
      title: "updateTag",
      path: "docs/updateTag.md",
    });
    const second = infoSnippet("second", "With revalidateTag a tag is stale: revalidateTag takes its name.", {
      title: "revalidateTag",
      path: "docs/revalidateTag.md",
    });
    const ids = order("difference between updateTag and revalidateTag", ...both, first, second);
    expect(ids.slice(1, 3)).toEqual(["first", "second"]);
  });

  it("orders equal snippets by id, whatever the order they come in", () => {
    const snippets = ["b", "c", "a"].map((id) => infoSnippet(id, "Exactly the same webhook.", { path: "docs/p.md" }));
    expect(order("webhook", ...snippets)).toEqual(["a", "b", "c"]);
    expect(order("webhook", ...snippets.toReversed())).toEqual(["a", "b", "c"]);
  });

  it("gives no more than the limit, and scores that only fall", () => {
    const snippets = Array.from({ length: 30 }, (_, at) => infoSnippet(`s${at}`, `webhook ${"filler ".repeat(at)}`));
    const ranked = rank(analyseQuestion("webhook"), candidatesOf("webhook", snippets), 7);
    expect(ranked).toHaveLength(7);
    expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).toSorted((a, b) => b - a));
  });

  it("leaves out candidates that have no term of the question", () => {
    expect(order("webhook", infoSnippet("none", "Nothing."), infoSnippet("it", "A webhook."))).toEqual(["it"]);
    expect(order("?!", infoSnippet("none", "Nothing."))).toEqual([]);
  });

  it("reads no snippet itself", () => {
    const candidates = candidatesOf("webhook", [infoSnippet("it", "A webhook.")]);
    const unread = candidates.candidates.map((candidate) => ({
      ...candidate,
      snippet: () => expect.unreachable("It was read."),
    }));
    expect(rank(analyseQuestion("webhook"), { ...candidates, candidates: unread }, 5)).toHaveLength(1);
  });
});

/** The ids that a question brings, best first; snippets that have nothing to do with it stand beside the given ones. */
function order(query: string, ...snippets: readonly Snippet[]): string[] {
  const candidates = candidatesOf(query, [...snippets, ...filler]);
  return rank(analyseQuestion(query), candidates, 100).map(({ candidate }) => candidate.id);
}

/** Every snippet as a candidate, with the statistics an index would give. */
function candidatesOf(query: string, snippets: readonly Snippet[]): Candidates {
  const analysed = snippets.map((snippet) => analyseSnippet(snippet));
  const lengths = analysed.map((fields) => searchFields.map((field) => fields[field].length));
  const candidates = snippets.map(({ id, kind, page, tokens }, at) => {
    const { title = [], breadcrumb = [], path = [] } = analysed[at] ?? {};
    return {
      id,
      kind,
      pageUrl: page.url,
      ...kindOfPage(path.join(" "), page.url),
      belowTitle: isBelowTitle({ title, breadcrumb }),
      lengths: lengths[at] ?? [],
      tokens,
    };
  });
  const mean = (all: readonly number[]) => all.reduce((sum, length) => sum + length, 0) / all.length;
  const [title, breadcrumb, path, prose, code, identifiers] = searchFields.map((_, field) =>
    mean(lengths.map((own) => own[field] ?? 0)),
  ) as [number, number, number, number, number, number];
  const frequency = (term: string) =>
    analysed.filter((fields) => Object.values(fields).some((terms) => terms.includes(term))).length;
  const terms = lookedUp(analyseQuestion(query));
  return {
    total: candidates.length,
    averageLength: { title, breadcrumb, path, prose, code, identifiers },
    documentFrequency: new Map(terms.map((term) => [term, frequency(term)])),
    corrections: new Map(),
    candidates,
    occurrences: occurrencesIn(analysed, terms),
    read: async (ids) => snippets.filter(({ id }) => ids.includes(id)),
  };
}
