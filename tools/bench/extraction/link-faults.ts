import { Parser } from "commonmark";
import type { Node } from "commonmark";
import { frontMatterOf, textOf } from "./blocks.ts";
import { proseOf } from "./fault-kinds.ts";
import type { Fault, ServedPage } from "./fault-kinds.ts";

/** Fewer links are no list of links. */
const least = 3;

/**
 * Lists of links that say something or lead elsewhere, and of which less than half can be read in what is served. Lists of bare links
 * to pages of the same documents are navigation.
 */
export function linkFaults(pages: readonly ServedPage[]): readonly Fault[] {
  const served = letters(pages.flatMap(({ passages }) => passages.flatMap(proseOf)).join("\n"));
  return pages.flatMap(({ page: { input, outcome } }) => {
    if (outcome !== "indexed") return [];
    const text = textOf(input.bytes);
    const matter = frontMatterOf(text);
    const above = matter.split("\n").length - 1;
    return listsIn(text.slice(matter.length)).flatMap(({ items, line }): Fault[] => {
      const found = items.filter((item) => served.includes(letters(item))).length;
      if (found * 2 >= items.length) return [];
      return [{ kind: "links", where: `${input.path}:${above + line}`, text: items.slice(0, 4).join(" | ") }];
    });
  });
}

function letters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

interface LinkList {
  /** What each item shows. */
  readonly items: readonly string[];
  readonly line: number;
}

/** Lists whose items each begin with a link. */
function listsIn(markdown: string): readonly LinkList[] {
  const walker = new Parser().parse(markdown).walker();
  const lists: LinkList[] = [];
  for (let step = walker.next(); step !== null; step = walker.next()) {
    if (!step.entering || step.node.type !== "list") continue;
    const items = [...childrenOf(step.node)].map(readItem);
    if (items.length < least || !items.every(({ begins }) => begins)) continue;
    const tells = items.filter(({ says, elsewhere }) => says || elsewhere).length * 2 >= items.length;
    if (tells) lists.push({ items: items.map(({ shown }) => shown), line: step.node.sourcepos[0][0] });
  }
  return lists;
}

function readItem(item: Node): { shown: string; begins: boolean; says: boolean; elsewhere: boolean } {
  const [paragraph] = childrenOf(item);
  const [link] = paragraph === undefined ? [] : childrenOf(paragraph);
  const shown = textIn(item);
  const begins = link?.type === "link";
  const linked = begins ? textIn(link) : "";
  return {
    shown: linked === "" ? shown : linked,
    begins,
    says: shown.slice(linked.length).trim().split(/\s+/).length > 3,
    elsewhere: begins && /^https?:/.test(link.destination ?? ""),
  };
}

function* childrenOf(node: Node): Generator<Node> {
  for (let child = node.firstChild; child !== null; child = child.next) yield child;
}

function textIn(node: Node): string {
  const texts: string[] = [];
  const walker = node.walker();
  for (let step = walker.next(); step !== null; step = walker.next())
    if (step.entering) texts.push(step.node.type === "softbreak" ? " " : (step.node.literal ?? ""));
  return texts.join("");
}
