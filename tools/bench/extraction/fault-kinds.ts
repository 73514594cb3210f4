import type { Passage } from "../../../domain/passage.ts";
import type { CollectedPage } from "./collect.ts";

/** One place where what is served is not as a reader should get it, as a simple pattern sees it. */
export interface Fault {
  readonly kind: FaultKind;
  /** Path and line. */
  readonly where: string;
  readonly text: string;
}

/** Kinds of faults, and what each is called in the table. */
export const faultKinds = {
  component: "tags of components in prose",
  html: "tags of HTML in prose",
  shortcode: "shortcodes in prose or titles",
  entity: "entities in prose or titles",
  anchor: "anchors of headings in prose or titles",
  variable: "variables in prose or titles",
  expression: "expressions of MDX in prose or titles",
  directive: "containers and directives in prose (`:::`, `{% %}`)",
  esm: "imports, exports and comments in prose",
  include: "includes that are not resolved",
  marks: "marked lines that are not named beside the code",
  blockTitle: "titles of blocks that are not served",
  links: "lists of links that are lost",
  halfTitle: "titles that are half a sentence",
  fileTitle: "titles that are a file's name",
  cutTitle: "titles that are cut",
  listTitle: "titles that are a list of three or more headings",
  unknown: "code without a language",
  spelling: "languages spelled in two ways",
  guess: "languages guessed against what the code shows",
  matter: "front matter in prose",
  joined: "words run into each other where a tag stood between them",
  older: "passages of an older date's version of a page",
  moved: "passages of pages that only say that they have moved",
  made: "passages of generated pages under headings of pages that are not",
  copy: "passages of a page folded into a fragment, a generated, old or unlisted page",
} as const;

export type FaultKind = keyof typeof faultKinds;

/** What a page serves, with what is only code taken out of its prose. */
export interface ServedPage {
  readonly page: CollectedPage;
  readonly passages: readonly Passage[];
}

/** The prose of a passage. */
export function proseOf({ blocks }: Passage): readonly string[] {
  return blocks.flatMap((block) => (block.type === "prose" ? [block.markdown] : []));
}

/** Where a passage stands. */
export function whereOf({ source: { path, url, lines } }: Passage): string {
  return `${path ?? url}:${lines?.[0] ?? ""}`;
}
