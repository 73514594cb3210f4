import { isTag, type Document, type Element } from "domhandler";
import { ancestorsOf, elementsIn, firstOf, lineOf, textOf, walk } from "./tree.ts";

/** Elements that hold the content of most pages, the best match first. */
const mains: readonly ((element: Element) => boolean)[] = [
  ({ name, attribs }) => name === "main" || attribs["role"] === "main",
  ({ name }) => name === "article",
  ({ attribs }) => /^(?:main-?content|content|main|docs?|documentation)$/i.test(attribs["id"] ?? ""),
];
/** Minimum share of the page's text that its content has. */
const minShare = 0.4;
/** Share of an element's prose beside the members in it from which it is content. */
const minBeside = 0.05;

/** The content of a cleaned page of an unknown generator: its main elements if they have enough of the text, else its body. */
export function mainOf(page: Document): readonly Element[] {
  const body = firstOf(walk(page), ({ name }) => name === "body");
  const whole = body ?? page;
  const { length } = textOf(whole);
  for (const isMain of mains) {
    const candidates = [...walk(whole, (element) => !isMain(element))].filter(isMain);
    const size = candidates.reduce((sum, one) => sum + textOf(one).length, 0);
    if (size > 0 && size >= length * minShare)
      return withTitle(holderOf(candidates, whole), whole, isMain === mains[0]);
  }
  return body === undefined ? elementsIn(page) : [body];
}

/**
 * If each member of an API or each part of a page has an element of its own, the content is what is around all of them: as much as has
 * prose beside them.
 */
function holderOf(parts: readonly Element[], whole: Document | Element): readonly Element[] {
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return parts;
  const ofFirst = new Map([...ancestorsOf(first)].map((element, at) => [element, at]));
  let nearest = 0;
  for (const other of others) {
    const shared = firstOf(ancestorsOf(other), (element) => ofFirst.has(element));
    nearest = Math.max(nearest, (shared && ofFirst.get(shared)) ?? ofFirst.size);
  }
  const common = [...ofFirst.keys()].slice(nearest);
  const end = common.findIndex((element) => element === whole);
  const inside = end < 0 ? common : common.slice(0, end);
  let [holder] = inside;
  let prose = holder === undefined ? 0 : proseOf(holder);
  for (const element of inside) {
    const more = proseOf(element);
    if ((more - prose) / (more || 1) >= minBeside) [holder, prose] = [element, more];
  }
  if (proseOf(whole) * (1 - minBeside) < prose) return holder === undefined ? parts : [holder];
  // Of the whole page only the elements that have prose.
  const chosen = new Set(holder === undefined ? parts : [holder]);
  const around = ancestorsOfAll(chosen);
  for (const one of elementsIn(whole)) if (!around.has(one) && isProse(one)) chosen.add(one);
  return inOrder(chosen, whole);
}

/**
 * Adds the page's heading, with what introduces it, if the content has none, and the prose beside both unless the page says what its
 * main part is. A heading that is a link is the site's.
 */
function withTitle(main: readonly Element[], whole: Document | Element, isNamed: boolean): readonly Element[] {
  const isHeading = ({ name }: Element): boolean => name === "h1";
  if (main.some((one) => isHeading(one) || firstOf(walk(one), isHeading) !== undefined)) return main;
  const heading = firstOf(walk(whole), isHeading);
  if (heading === undefined || proseOf(heading) === 0) return main;
  const chosen = new Set(main);
  const around = ancestorsOfAll(chosen);
  let beside = heading;
  while (beside.parent !== null && isTag(beside.parent) && !around.has(beside.parent)) beside = beside.parent;
  chosen.add(isProse(beside) ? beside : heading);
  const { parent } = beside;
  if (isNamed || parent === null || !isTag(parent)) return inOrder(chosen, whole);
  for (const one of elementsIn(parent)) if (one !== beside && !around.has(one) && isProse(one)) chosen.add(one);
  return parent !== whole && elementsIn(parent).every((one) => chosen.has(one)) ? [parent] : inOrder(chosen, whole);
}

function ancestorsOfAll(elements: Iterable<Element>): ReadonlySet<Element> {
  const all = new Set<Element>();
  for (const element of elements)
    for (const around of ancestorsOf(element)) {
      if (all.has(around)) break;
      all.add(around);
    }
  return all;
}

function inOrder(chosen: ReadonlySet<Element>, whole: Document | Element): readonly Element[] {
  return [...walk(whole, (one) => !chosen.has(one))].filter((one) => chosen.has(one));
}

/** Number of characters outside of links. */
function proseOf(node: Document | Element): number {
  if ("name" in node && node.name === "a") return 0;
  return node.children.reduce((sum, child) => sum + (isTag(child) ? proseOf(child) : textOf(child).trim().length), 0);
}

/** Whether an element has more words than links. */
function isProse(element: Element): boolean {
  return proseOf(element) * 2 > lineOf(element, Infinity).length;
}
