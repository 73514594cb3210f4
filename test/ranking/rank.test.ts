import { describe, expect, it } from "vitest";
import { searchFields } from "../../domain/ports.ts";
import type { Candidates } from "../../domain/ports.ts";
import type { Snippet } from "../../domain/snippet.ts";
import { analyseSnippet } from "../../ranking/analyse.ts";
import { analyseQuestion } from "../../ranking/question.ts";
import { rank } from "../../ranking/rank.ts";
import { codeSnippet, infoSnippet } from "../contracts/snippet-samples.ts";

const filler = Array.from({ length: 20 }, (_, at) =>
  infoSnippet(`zz${at}`, "Other matters of no concern, told at some length."),
);

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

  it("finds an identifier that is asked for as words", () => {
    const code = codeSnippet("code", { code: "const router = useRouter();" });
    const prose = infoSnippet("prose", "The router has no further use, as one can say of many a router.");
    expect(order("use router hook", prose, code)[0]).toBe("code");
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

  it("puts terms that stand side by side before the same terms apart", () => {
    const apart = infoSnippet("a-apart", "Rate of change, and then a limit.");
    const together = infoSnippet("b-together", "Change of a rate limit and then.");
    expect(order("rate limit", apart, together)[0]).toBe("b-together");
  });

  it("puts the short text before the long one that says the term as often", () => {
    const long = infoSnippet("a-long", `A webhook. ${"More about other matters entirely. ".repeat(20)}`);
    expect(order("webhook", long, infoSnippet("b-short", "A webhook."))[0]).toBe("b-short");
  });

  it("lets other pages in before the third of one page that is little better", () => {
    const crowd = ["a", "b", "c", "d"].map((id) =>
      infoSnippet(id, "Set the session timeout here now.", { page: "one" }),
    );
    const other = infoSnippet("other", "Set the session timeout over here now.", { page: "two" });
    const ids = order("session timeout", ...crowd, other);
    expect(ids[0]).toBe("a");
    expect(ids.indexOf("other")).toBeLessThan(3);
  });

  it("keeps a page's far better snippets before weak ones of other pages", () => {
    const good = ["a", "b", "c"].map((id) =>
      infoSnippet(id, "The session timeout.", { title: "Session timeout", page: "one" }),
    );
    const weak = infoSnippet("weak", `A session. ${"More about other matters entirely. ".repeat(10)}`, { page: "two" });
    expect(order("session timeout", ...good, weak)).toEqual(["a", "b", "c", "weak"]);
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
  const candidates = snippets.map((snippet) => ({
    id: snippet.id,
    kind: snippet.kind,
    fields: analyseSnippet(snippet),
    pageUrl: snippet.page.url,
    tokens: snippet.tokens,
  }));
  const termsOf = (text: string) => text.split(" ").filter((term) => term !== "");
  const mean = (lengths: readonly number[]) => lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const [title, breadcrumb, path, identifiers, prose, code] = searchFields.map((field) =>
    mean(candidates.map(({ fields }) => termsOf(fields[field]).length)),
  ) as [number, number, number, number, number, number];
  const frequency = (term: string) =>
    candidates.filter(({ fields }) => Object.values(fields).some((text) => termsOf(text).includes(term))).length;
  return {
    total: candidates.length,
    averageLength: { title, breadcrumb, path, identifiers, prose, code },
    documentFrequency: new Map(analyseQuestion(query).terms.map((term) => [term, frequency(term)])),
    candidates,
    read: async (ids) => snippets.filter(({ id }) => ids.includes(id)),
  };
}
