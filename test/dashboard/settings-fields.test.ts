import { expect, it } from "vitest";

import { optionsOf } from "../../api/forms/library-settings.ts";
import { changesOf, problemsOf, settingFields } from "../../api/dashboard/library/settings-fields.ts";
import { settingsView } from "../../api/dashboard/library/settings.ts";
import type { Settings } from "../../api/answer-types.ts";

const settings: Settings = {
  libraryId: "/websites/docs_example_com",
  kind: "website",
  title: "Docs",
  description: null,
  rules: ["Be short."],
  schedule: 7,
  screen: null,
  trustScore: null,
  verified: true,
  redirect: null,
  options: optionsOf({
    kind: "website",
    url: "https://docs.example.com/",
    base: null,
    scope: "hostname",
    maxPages: 500,
    maxDepth: 5,
    includePatterns: [],
    excludePatterns: ["/blog", "/news"],
    excludeSelectors: [],
    keepQuery: false,
    keepHash: false,
  }),
};
const fields = settingFields(settings);
const shown = Object.fromEntries(fields.map(({ name, value }) => [name, value]));

it("shows the options of a kind by their schema, as typed text", () => {
  const named = Object.fromEntries(fields.map(({ name, form, value }) => [name, [form, value]]));
  expect(named).toMatchObject({
    schedule: ["text", "7"],
    verified: ["choice", "true"],
    websiteBaseUrl: ["text", ""],
    scope: ["choice", "hostname"],
    maxPages: ["number", "500"],
    excludePatterns: ["lines", "/blog\n/news"],
    keepQuery: ["choice", "false"],
  });
  expect(fields.find(({ name }) => name === "scope")?.choices?.map(([value]) => value)).toEqual([
    "subpages",
    "hostname",
    "domain",
  ]);
});

it("changes only edited fields; empty means the default", () => {
  expect(changesOf(fields, shown, shown)).toEqual({});
  // Browsers send CRLF.
  expect(changesOf(fields, { ...shown, excludePatterns: "/blog\r\n/news" }, shown)).toEqual({});
  const typed = {
    ...shown,
    title: "",
    schedule: "never",
    trustScore: "9",
    verified: "",
    maxPages: "many",
    excludePatterns: "/blog\r\n\r\n /old ",
    keepQuery: "true",
    unknown: "x",
  };
  expect(changesOf(fields, typed, shown)).toEqual({
    title: null,
    schedule: "never",
    trustScore: 9,
    verified: null,
    maxPages: "many",
    excludePatterns: ["/blog", "/old"],
    keepQuery: true,
  });
});

it("puts errors beside their fields, and the rest above", () => {
  const names = fields.map(({ name }) => name);
  const message =
    "title must have 1 to 100 characters. rules[1] must be one line. maxPages must be a whole number from 1 to 50000. Try again.";
  expect(problemsOf(message, names)).toEqual({
    byField: {
      title: "It must have 1 to 100 characters.",
      rules: "Line 2 must be one line.",
      maxPages: "It must be a whole number from 1 to 50000.",
    },
    rest: "Try again.",
  });
  expect(problemsOf("Nothing to change.", names)).toEqual({ byField: {}, rest: "Nothing to change." });
});

it("escapes typed markup, in fields and text areas", () => {
  const hostile = `"></textarea></option><script>alert(1)</script>`;
  const refusal = {
    typed: { title: hostile, rules: `\n${hostile}` },
    shown: { title: hostile },
    byField: {},
    rest: hostile,
  };
  const page = settingsView({ ...settings, libraryId: hostile }, `/acme/${hostile}`, "token", refusal).toString();
  expect(page).not.toContain("<script>");
  expect(page).not.toContain("</textarea></option>");
  // Browsers drop the first line break of a text area, so it is doubled.
  expect(page).toContain(`>\n\n&quot;&gt;&lt;/textarea&gt;`);
});
