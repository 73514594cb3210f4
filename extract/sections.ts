import type { Block, Document, HeadingBlock } from "./blocks.ts";

/** A heading with what stands under it, up to the next heading of any level. */
export interface Section {
  /** Page title, then the headings down to this one; without the empty ones. */
  readonly breadcrumb: readonly string[];
  /** Null for what comes before the first heading, and for the heading that is the page's title. */
  readonly heading: HeadingBlock | null;
  readonly blocks: readonly Exclude<Block, HeadingBlock>[];
}

/** A page's title and its sections. */
export interface Outline {
  readonly title: string;
  readonly sections: readonly Section[];
}

/**
 * Cuts a document at its headings. Title: the first heading where it is of level 1, else what the document says of
 * itself, else the first level-1 heading anywhere, else the path made readable.
 */
export function toOutline({ blocks, title: declared }: Document, path: string): Outline {
  const headings = blocks.filter((block): block is HeadingBlock => block.type === "heading" && block.text !== "");
  const titles = headings.filter(({ level }) => level === 1);
  const first = titles[0] === headings[0] || declared === "" ? titles[0] : undefined;
  const named = first !== undefined && (titles.length === 1 || declared === "") ? first : undefined;
  const title = named?.text ?? (declared === "" ? readablePath(path) : declared);

  const sections: Section[] = [];
  const open: HeadingBlock[] = [];
  let current: Exclude<Block, HeadingBlock>[] = [];
  const start = (heading: HeadingBlock | null): void => {
    current = [];
    const breadcrumb = [title, ...open.map(({ text }) => text)].filter((text) => text !== "");
    sections.push({ breadcrumb, heading, blocks: current });
  };
  start(null);
  for (const block of blocks) {
    if (block.type !== "heading") current.push(block);
    else {
      while ((open.at(-1)?.level ?? 0) >= block.level) open.pop();
      const isTitle = block === named || (block.level === 1 && block.text === title);
      if (!isTitle && block.text !== "") open.push(block);
      start(isTitle || block.text === "" ? null : block);
    }
  }
  return { title, sections: sections.filter(({ blocks: inside }) => inside.length > 0) };
}

/** `docs/01-getting_started.md` as "Getting started"; an index or README by its folder, "" at the root. */
function readablePath(path: string): string {
  const parts = path.split("/");
  const stem = (name: string): string => name.replace(/\.[^.]*$/, "").replace(/^\d+[-_. ]+/, "");
  const name = stem(parts.at(-1) ?? "");
  const folder = parts.at(-2);
  const chosen = /^(?:readme|index|_index)$/i.test(name)
    ? folder === undefined
      ? ""
      : folder.replace(/^\d+[-_. ]+/, "")
    : name;
  const words = chosen.replace(/[-_]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
