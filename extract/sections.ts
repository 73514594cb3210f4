import type { Block, Document, HeadingBlock, LeftOut } from "./blocks.ts";
import { isTree, reasonToLeaveOut, reasonToLeaveOutPage, sampleText } from "./left-out.ts";
import { fenceAround } from "./markdown/fences.ts";
import { firstSentences, toSentences } from "./sentences.ts";

type Content = Exclude<Block, HeadingBlock>;

/** A heading with its content, up to the next heading of any level. */
export interface Section {
  /** Page title and headings down to this one, without empty ones. */
  readonly breadcrumb: readonly string[];
  /** The fragments of these headings, if the document gives them. */
  readonly fragments: readonly (string | undefined)[];
  /** Null before the first heading, and for the heading that is the page's title. */
  readonly heading: HeadingBlock | null;
  readonly blocks: readonly Content[];
  /** Introduces code without a description: the first sentence under the nearest heading above, else the page's description; "" without. */
  intro(): string;
}

/** A page's title and sections. */
export type Outline = ReturnType<typeof toOutline>;

interface OpenSection {
  readonly heading: HeadingBlock;
  readonly blocks: Content[];
}

/** Number of blocks below a heading that are searched for an introduction. */
const maxIntroBlocks = 10;
/** Maximum length of an introduction, in characters. */
const maxIntroLength = 200;

/**
 * Divides a document at its headings, without the sections that are left out. Its title is the first heading if that has level 1, else
 * the title of the metadata, else the first level-1 heading, else a deeper heading that begins the document and is above all others, else
 * the path made readable. `whole`: why the whole page is left out, if it is.
 */
export function toOutline(document: Document, path: string) {
  const { blocks, title: declared, description, footnotes, leftOut: before } = document;
  const headings = blocks.filter((block): block is HeadingBlock => block.type === "heading" && block.text !== "");
  const titles = headings.filter(({ level }) => level === 1);
  const first = titles[0] === headings[0] || declared === "" ? titles[0] : undefined;
  const named = first !== undefined && (titles.length === 1 || declared === "") ? first : undefined;
  const lone = named === undefined && declared === "" ? loneHeading(blocks, headings) : undefined;
  const title = (named ?? lone)?.text ?? (declared === "" ? readablePath(path) : declared);
  const readme = /(?:^|\/)readme\.[^./]*$/i.test(path);

  const sections: Section[] = [];
  const leftOut: LeftOut[] = [...before];
  /** Content under no heading but the page's title. */
  let root: Content[] = [];
  const open: OpenSection[] = [];
  const wholePage = reasonToLeaveOutPage(path, title, () => sampleText(blocks, 0, 0));
  /** The level of the section that is being left out, and why. */
  let unwanted: { readonly level: number; readonly reason: LeftOut["reason"] } | undefined;
  if (wholePage !== undefined) unwanted = { level: 0, reason: wholePage };
  let current = root;

  const start = (heading: HeadingBlock | null, content: Content[]): void => {
    current = content;
    const shown: Pick<HeadingBlock, "text" | "id">[] = [{ text: title }, ...open.map((section) => section.heading)];
    const trail = shown.filter(({ text }) => text !== "");
    const breadcrumb = trail.map(({ text }) => text);
    const fragments = trail.map(({ id }) => id);
    const above = [root, ...open.map((section) => section.blocks)];
    if (heading !== null) above.pop();
    const intro = (): string => introOf(above.toReversed()) || firstSentences(description, maxIntroLength);
    sections.push({ breadcrumb, fragments, heading, blocks: content, intro });
  };
  start(null, root);
  for (const [at, block] of blocks.entries()) {
    if (block.type !== "heading") {
      if (unwanted === undefined) current.push(block.type === "code" && isTree(block) ? asProse(block) : block);
      else if (block.type === "code") leftOut.push({ lines: block.lines, reason: unwanted.reason });
      continue;
    }
    if (unwanted !== undefined && block.level > unwanted.level) continue;
    unwanted = undefined;
    while ((open.at(-1)?.heading.level ?? 0) >= block.level) open.pop();
    const isTitle = block === named || block === lone || (block.level === 1 && block.text === title);
    const reason = isTitle
      ? undefined
      : reasonToLeaveOut(block.text, readme, () => sampleText(blocks, at + 1, block.level));
    if (reason !== undefined) {
      unwanted = { level: block.level, reason };
      continue;
    }
    const content: Content[] = [];
    if (!isTitle && isSentence(block.text) && endsAt(blocks[at + 1], block.level))
      start(null, [{ type: "prose", markdown: block.text, lines: block.lines }]);
    if (isTitle) root = content;
    if (!isTitle && block.text !== "") open.push({ heading: block, blocks: content });
    start(isTitle || block.text === "" ? null : block, content);
  }
  const nonEmpty = sections.filter((section) => section.blocks.length > 0);
  return { title, sections: nonEmpty, footnotes, leftOut, ...(wholePage !== undefined && { whole: wholePage }) };
}

/** Whether the section of a heading is over before the next block. */
function endsAt(next: Block | undefined, level: number): boolean {
  return next === undefined || (next.type === "heading" && next.level <= level);
}

/** Whether a heading is a sentence, which is text if nothing stands below it. Short questions and exclamations ask for feedback. */
function isSentence(heading: string): boolean {
  const words = heading.split(" ", minWords.any).length;
  return words >= minWords.any || (words >= minWords.ended && /[\p{Ll}\d`)*_][.:…]$/u.test(heading));
}

/** Minimum number of words of a sentence, with and without a sign at its end. */
const minWords = { ended: 4, any: 9 };

function loneHeading(blocks: Document["blocks"], headings: readonly HeadingBlock[]): HeadingBlock | undefined {
  const [first, ...others] = headings;
  if (first === undefined || first.isPart === true || first !== blocks[0]) return undefined;
  return others.every(({ level }) => level > first.level) ? first : undefined;
}

function introOf(above: readonly (readonly Content[])[]): string {
  for (const blocks of above) {
    const paragraph = blocks.slice(0, maxIntroBlocks).find((block) => block.type === "paragraph");
    const text = paragraph?.text() ?? "";
    if (!text.endsWith(":") && /\p{L}{2}\s+\p{L}{2}|\p{Script=Han}{4}/u.test(text)) {
      return firstSentences(toSentences(text)[0] ?? "", maxIntroLength);
    }
  }
  return "";
}

function asProse(block: Extract<Block, { type: "code" }>): Content {
  const fence = fenceAround(block.code);
  return { type: "prose", markdown: `${fence}${block.language}\n${block.code}\n${fence}`, lines: block.lines };
}

/** `docs/01-getting_started.md` as "Getting started"; an index or README by its folder, "" at the root. */
function readablePath(path: string): string {
  const parts = path.split("/");
  const withoutNumber = (name: string): string => name.replace(/^\d+[-_. ]+/, "");
  const stem = withoutNumber((parts.at(-1) ?? "").replace(/\.[^.]*$/, ""));
  const name = /^(?:readme|index|_index)$/i.test(stem) ? withoutNumber(parts.at(-2) ?? "") : stem;
  const words = name.replace(/[-_]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
