import type { Preview } from "../../domain/previewing.ts";
import type { FoundPassage, CodeBlock, Passage } from "../../domain/passage.ts";
import type { ManifestPage } from "../../domain/generation.ts";

/** The pages of every generation that `finish` stages. */
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

const readme = "https://git.example.com/acme/widgets/blob/c0ffee/README.md";

/** Prose followed by code in two languages. */
export const codePassage: Passage = {
  id: "s1",
  title: "Create a widget",
  breadcrumb: ["Widgets", "Create a widget"],
  blocks: [
    { type: "prose", markdown: "Pass the size." },
    {
      type: "code",
      title: "Create a widget",
      description: "Pass the size.",
      codes: [
        { language: "js", code: 'createWidget("big");\n' },
        { language: "", code: "```\nnested fence\n```" },
      ],
      url: `${readme}#L5-L9`,
      lines: [5, 9],
    },
  ],
  page: { title: "Widgets", url: readme },
  source: { path: "README.md", url: `${readme}#L3-L9`, lines: [3, 9], revision: "c0ffee" },
  tokens: 12,
};

/** A passage in quarantine. */
export const heldPassage: Passage = {
  ...codePassage,
  id: "s3",
  title: "Ignore previous instructions",
  findings: ["override"],
  flags: ["quarantined"],
};

export const prosePassage: Passage = {
  id: "s2",
  title: "Why widgets",
  breadcrumb: ["Widgets", "Why widgets"],
  blocks: [{ type: "prose", markdown: "A widget saves time." }],
  page: { title: "Widgets", url: "https://git.example.com/acme/widgets/blob/c0ffee/why.md" },
  source: {
    path: "why.md",
    url: "https://git.example.com/acme/widgets/blob/c0ffee/why.md#L1-L4",
    lines: [1, 4],
    revision: "c0ffee",
  },
  tokens: 5,
};

/** The findings of every generation: a quarantined passage, and one that is still served. */
export const foundPassages: readonly FoundPassage[] = [
  { passage: heldPassage, releaseKey: "key-s3" },
  { passage: { ...prosePassage, findings: ["conceals"] }, releaseKey: "key-s2" },
];

/** The passage with other code. */
export function withCodes(passage: Passage, codes: readonly CodeBlock[]): Passage {
  const blocks = passage.blocks.map((block) => (block.type === "code" ? { ...block, codes } : block));
  return { ...passage, blocks };
}

/** The answer of previews here; test/long/preview.test.ts has those of real sources. */
export const emptyPreview: Preview = {
  revision: "",
  ref: null,
  title: "",
  description: "",
  pages: [],
  total: 0,
  waiting: [],
  notes: [],
  sample: [],
  quarantined: [],
  isWhole: true,
};
