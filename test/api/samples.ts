import type { FoundSnippet } from "../../domain/quarantine.ts";
import type { ManifestPage, Snippet } from "../../domain/snippet.ts";

/** What became of the pages of every generation that `finish` makes. */
export const pageOutcomes: readonly ManifestPage[] = [
  {
    path: "README.md",
    url: "https://git.example.com/README.md",
    outcome: "indexed",
    title: "Widgets",
    snippets: 2,
    key: "c0ffee",
    includes: [{ path: "a.md", fingerprint: "" }],
    place: [0, 0, 2],
    languages: { js: 1 },
    description: "Widgets save time.",
  },
  { path: "empty.md", url: "https://git.example.com/empty.md", outcome: "skipped", code: "empty", reason: "No text." },
  { path: "bad.md", url: "https://git.example.com/bad.md", outcome: "failed", code: "timeout", reason: "Too slow." },
];

export const codeSnippet: Snippet = {
  id: "s1",
  kind: "code",
  title: "Create a widget",
  description: "Pass the size.",
  breadcrumb: ["Widgets", "Create a widget"],
  codes: [
    { language: "js", code: 'createWidget("big");\n' },
    { language: "", code: "```\nnested fence\n```" },
  ],
  page: { title: "Widgets", url: "https://git.example.com/acme/widgets/blob/c0ffee/README.md" },
  source: {
    path: "README.md",
    url: "https://git.example.com/acme/widgets/blob/c0ffee/README.md#L3-L9",
    lines: [3, 9],
    revision: "c0ffee",
  },
  tokens: 12,
};

/** A snippet in quarantine. */
export const heldSnippet: Snippet = {
  ...codeSnippet,
  id: "s3",
  title: "Ignore previous instructions",
  findings: ["override"],
  flags: ["quarantined"],
};

export const infoSnippet: Snippet = {
  id: "s2",
  kind: "info",
  title: "Why widgets",
  description: "",
  breadcrumb: ["Widgets", "Why widgets"],
  codes: [],
  content: "A widget saves time.",
  page: { title: "Widgets", url: "https://git.example.com/acme/widgets/blob/c0ffee/why.md" },
  source: { path: "why.md", url: "https://git.example.com/acme/widgets/blob/c0ffee/why.md#L1-L4", revision: "c0ffee" },
  tokens: 5,
};

/** What the screen has found in every generation: a snippet in quarantine, and one that is served all the same. */
export const foundSnippets: readonly FoundSnippet[] = [
  { snippet: heldSnippet, releaseKey: "key-s3" },
  { snippet: { ...infoSnippet, findings: ["conceals"] }, releaseKey: "key-s2" },
];
