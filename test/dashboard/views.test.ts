import { describe, expect, it } from "vitest";

import { recognise } from "../../api/dashboard/recognise.ts";
import { toBody, withUnticked } from "../../api/dashboard/schema-fields.ts";
import type { Explained, PageOutcomes, Preview, Resolved } from "../../api/answer-types.ts";
import { addView } from "../../api/dashboard/views/add.ts";
import { passagesView, servedView } from "../../api/dashboard/views/answer-content.ts";
import { answerView, candidatesView } from "../../api/dashboard/views/answer.ts";
import { outcomesView } from "../../api/dashboard/library/page-outcomes.ts";
import { lockfileView } from "../../api/dashboard/pages/add-files.ts";
import { noAnswerView } from "../../api/dashboard/pages/answer.ts";
import { previewView } from "../../api/dashboard/pages/add.ts";

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>\u202E' onclick='x`;
const harmful = "javascript:alert(1)//\u202E";

/** Unescaped markup, javascript: links and bidi controls in a page that must contain the escaped text. */
function harmOf(markup: { toString(): string }): readonly string[] {
  const text = markup.toString();
  const missing = text.includes("&lt;script&gt;") ? [] : ["The text is missing."];
  return [...missing, ...(text.match(/<script|<img|href="javascript|\u202E/gi) ?? [])];
}

const asked = {
  query: hostile,
  library: hostile,
  form: "answer",
  tokens: hostile,
  kind: hostile,
  language: hostile,
} as const;

it("shows what a page has that is not served", () => {
  const dropped = { menu: 3, hidden: 1 };
  const page = { path: "a", url: "https://docs.example.com/a", dropped };
  const outcomes = {
    outcomes: { indexed: 1, skipped: 0, failed: 0 },
    pages: [{ ...page, outcome: "indexed" }],
    next: null,
  } as unknown as PageOutcomes;
  expect(String(outcomesView(outcomes, "/acme/widgets"))).toContain("Left out: menu 3, hidden 1");
  const preview = { pages: [{ ...page, outcome: "read" }], waiting: [], notes: [], quarantined: [], sample: "" };
  const shown = {
    ...preview,
    total: 1,
    complete: true,
    libraryName: "/acme/widgets",
    revision: "",
  } as unknown as Preview;
  expect(String(previewView(shown))).toContain("Left out: menu 3, hidden 1");
});

describe("a hostile library is escaped", () => {
  it("in an answer, rendered or not, and its ranking", async () => {
    const passage: Explained["passages"][number] = {
      place: 1,
      shown: true,
      title: hostile,
      breadcrumb: [hostile],
      page: { title: hostile, url: harmful },
      url: harmful,
      lines: [1, 2],
      revision: hostile,
      tokens: 1,
      score: 1,
      own: 1,
      pageWorth: 0,
      factor: 1,
      meaning: 0.5,
      earned: [1],
      found: [{ term: hostile, field: "title", times: 1 }],
      blocks: [
        { type: "prose", markdown: hostile },
        { type: "code", url: harmful, codes: [{ language: hostile, code: hostile, name: hostile, madeFrom: hostile }] },
      ],
    };
    const explained: Explained = {
      library: hostile,
      title: hostile,
      version: hostile,
      revision: hostile,
      updated: "2026-01-01T00:00:00.000Z",
      tokens: 1,
      introduction: true,
      meaningBy: hostile,
      words: [{ word: hostile, worth: 1, terms: [{ term: hostile, as: "synonym", share: 0.5, passages: 1 }] }],
      passages: [passage],
      notes: [hostile],
      more: [{ page: hostile, section: hostile, title: hostile, tokens: 1 }],
    };
    for (const content of [servedView(hostile), servedView({ hostile }), await passagesView(hostile, explained)])
      expect(harmOf(answerView({ asked, content, explained, now: 0 }))).toEqual([]);
    expect(harmOf(candidatesView(asked, [hostile]))).toEqual([]);
    const moved = { status: 301, error: hostile, message: hostile, redirectUrl: hostile };
    expect(harmOf(noAnswerView(asked, hostile, moved))).toEqual([]);
  });

  it("in a preview", () => {
    const preview: Preview = {
      libraryName: hostile,
      title: hostile,
      description: hostile,
      revision: hostile,
      ref: hostile,
      complete: false,
      total: 1,
      pages: [{ path: hostile, url: harmful, outcome: "read", reason: hostile, title: hostile, notes: [hostile] }],
      waiting: [harmful],
      notes: [hostile],
      answers: { [hostile]: 1 },
      sample: hostile,
      quarantined: [{ url: harmful, findings: [] }],
    };
    expect(harmOf(previewView(preview))).toEqual([]);
  });

  it("in a lockfile", () => {
    const one: Resolved = {
      registry: "npm",
      name: hostile,
      version: hostile,
      direct: true,
      dev: false,
      libraryId: hostile,
      source: harmful,
      found: "nearest",
      ask: hostile,
      indexedVersion: hostile,
      indexing: false,
      excluded: null,
      get: { method: "POST", path: "/v2/add/package", body: { name: hostile } },
    };
    const packages = [one, { ...one, excluded: hostile }];
    expect(harmOf(lockfileView({ format: hostile, packages, others: 1, leftOut: 1 }, "token"))).toEqual([]);
  });
});

describe("adding", () => {
  it("escapes typed text, and never sends a secret back", () => {
    const address = "https://git.example.com/owner/name";
    const sent = { "o.branch": hostile, "o.gitToken": "very-secret", "o.title": hostile };
    const markup = addView({ formToken: "token", address, recognised: recognise(address), sent }).toString();
    expect(harmOf(markup)).toEqual([]);
    expect(markup).not.toContain("very-secret");
  });

  it.each([
    ["https://github.com/owner/name", "git"],
    ["git@git.example.com:owner/name.git", "git"],
    ["owner/name", "git"],
    ["https://docs.example.com/guide", "website"],
    ["https://docs.example.com/llms.txt", "llmstxt"],
    ["https://api.example.com/openapi.json", "openapi"],
    ["https://acme.atlassian.net/wiki/spaces/ENG/overview", "confluence"],
    ["https://www.notion.so/Handbook-0123456789abcdef0123456789abcdef", "notion"],
    ["npm:zod", "package"],
    ["https://www.npmjs.com/package/@types/node", "package"],
    ["https://git.corp.example/acme/widgets/src/branch/main/docs", "git"],
    ["https://dev.azure.com/acme/web/_git/widgets?path=/docs", "git"],
    ["/srv/docs", "folder"],
  ])("detects %s as %s, with the fields of its schema", (address, kind) => {
    const recognised = recognise(address);
    expect(recognised?.kind).toBe(kind);
    expect(recognised?.kinds.map((one) => one.kind)).toContain(kind);
    expect(recognised?.fields.map(({ name }) => name)).toContain("libraryName");
  });

  it.each([
    ["https://www.npmjs.com/package/zod/v/4.1.0", { registry: "npm", name: "zod", version: "4.1.0" }],
    ["https://www.npmjs.com/package/@types/node?activeTab=readme", { registry: "npm", name: "@types/node" }],
    ["https://pypi.org/project/requests/", { registry: "pypi", name: "requests" }],
    ["https://pypi.org/project/requests/2.31.0/#files", { registry: "pypi", name: "requests", version: "2.31.0" }],
    ["https://crates.io/crates/serde", { registry: "crates", name: "serde" }],
    ["https://docs.rs/serde/latest/serde/de/", { registry: "crates", name: "serde" }],
    ["https://docs.rs/serde/1.0.1/serde/", { registry: "crates", name: "serde", version: "1.0.1" }],
    [
      "https://pkg.go.dev/github.com/spf13/cobra@v1.8.0",
      { registry: "go", name: "github.com/spf13/cobra", version: "v1.8.0" },
    ],
    ["https://pkg.go.dev/golang.org/x/net", { registry: "go", name: "golang.org/x/net" }],
  ])("reads the page of a registry as the package: %s", (address, body) => {
    expect(recognise(address)?.body).toEqual(body);
  });

  it.each(["https://docs.rs/about", "https://pkg.go.dev/std", "https://pypi.org/", "https://www.npmjs.com/~acme"])(
    "takes %s for a website",
    (address) => expect(recognise(address)?.kind).toBe("website"),
  );

  it("reads a page as the API description that it shows, if that is chosen", () => {
    expect(recognise("https://api.example.com/docs/", "openapi")?.body).toEqual({
      openApiUrl: "https://api.example.com/docs/",
    });
  });

  it("fills in the branch and the folder of an address", () => {
    const address = "https://github.com/acme/widgets/tree/main/docs/guide";
    const recognised = recognise(address);
    expect(recognised?.body).toMatchObject({ docsRepoUrl: "https://github.com/acme/widgets" });
    const markup = addView({ formToken: "token", address, recognised, sent: {} }).toString();
    expect(markup).toMatch(/name="o\.branch"[^>]*value="main"/);
    expect(markup).toMatch(/name="o\.folders"[^>]*>\ndocs\/guide</);
  });

  it("keeps a checkbox unticked that is ticked by default", () => {
    const address = "https://acme.atlassian.net/wiki/spaces/ENG/overview";
    const recognised = recognise(address);
    const markupOf = (sent: Readonly<Record<string, string | undefined>>) =>
      addView({ formToken: "token", address, recognised, sent }).toString();
    const ticked = /name="o\.includeSubPages" value="on" checked/;
    expect(markupOf({})).toMatch(ticked);
    const sent = withUnticked(recognised?.fields ?? [], {});
    expect(markupOf(sent)).not.toMatch(ticked);
    expect(toBody(recognised?.fields ?? [], sent)).toMatchObject({ includeSubPages: false });
  });

  it("converts typed text to the body of the operation", () => {
    const { fields = [] } = recognise("https://docs.example.com/guide") ?? {};
    const typed = {
      "o.maxPages": "7",
      "o.excludePatterns": "/blog\r\n\r\n /news ",
      "o.scope": "domain",
      "o.keepQuery": "",
      "o.private": "false",
      "o.headers": "Authorization: Bearer a:b",
      "o.title": "",
    };
    expect(toBody(fields, typed)).toEqual({
      maxPages: 7,
      excludePatterns: ["/blog", "/news"],
      scope: "domain",
      keepQuery: false,
      private: false,
      headers: { Authorization: "Bearer a:b" },
    });
    expect(() => toBody(fields, { "o.headers": "secret" })).toThrow("as Name: value.");
    const space = recognise("https://acme.atlassian.net/wiki/spaces/ENG/overview")?.fields ?? [];
    const token = { "o.confluenceCredential.type": "pat", "o.confluenceCredential.token": "t" };
    expect(toBody(space, { "o.confluenceCredential.type": "pat", "o.includeSubPages": "on" })).toEqual({});
    expect(toBody(space, { ...token, "o.includeSubPages": "on" })).toEqual({
      confluenceCredential: { type: "pat", token: "t" },
    });
  });

  it("detects nothing in other text", () => {
    expect(recognise("no such thing")).toBeUndefined();
  });
});
