import { isTag, isText, type Element } from "domhandler";
import { isFileName } from "../file-name.ts";
import { isLanguage } from "../language.ts";
import { isDecoration } from "./code.ts";
import { ancestorsOf, classesOf, elementsIn, lineOf, textOf, walk } from "./tree.ts";

/** A block of code with the title from the elements around it. */
export interface Frame {
  readonly pre: Element;
  readonly title: string;
}

const inFrames = new Set(["div", "figure", "table", "tbody", "thead", "tr", "td", "th", "span", "section", "header"]);
const titleClass = /title|caption|file-?name|header|label|lang|name|tab/i;
/** Maximum number of elements examined next to a block of code. */
const maxBeside = 60;
const maxTitle = 100;

/**
 * The outermost elements that hold a single block of code and its title. A frame is inside elements with another meaning (`isOther`),
 * such as callouts, and may be a panel of tabs, but not contain one.
 */
export function findFrames(
  main: Element,
  { isOther, isPanel }: Readonly<Record<"isOther" | "isPanel", (element: Element) => boolean>>,
): ReadonlyMap<Element, Frame> {
  const frames = new Map<Element, Frame>();
  const inGutter = (element: Element): boolean =>
    classesOf(element).some((one) => /^(?:linenos|linenodiv|lineno|rouge-gutter|gutter)$/.test(one));
  for (const element of walk(main, (one) => one.name !== "pre")) {
    if (element.name !== "pre") continue;
    let outermost = element;
    let title = "";
    let gutter = inGutter(element);
    for (const place of ancestorsOf(element, 12)) {
      if (place === main || !(inFrames.has(place.name) || place.name.includes("-")) || isOther(place)) break;
      gutter ||= inGutter(place);
      const label = titleBeside(place, outermost);
      if (label === undefined || (label !== "" && title !== "" && label !== title)) break;
      outermost = place;
      if (label !== "") title = label;
      if (isPanel(place)) break;
    }
    if (!gutter) frames.set(outermost, { pre: element, title });
  }
  return frames;
}

/** The title in an element next to its code, "" without; undefined if the element has other content. */
function titleBeside(place: Element, code: Element): string | undefined {
  const titles: string[] = [];
  let examined = 0;
  for (const child of place.children) {
    if (child === code) continue;
    if (examined++ > maxBeside) return undefined;
    if (isText(child)) {
      if (child.data.trim() !== "") return undefined;
      continue;
    }
    if (!isTag(child) || isDecoration(child)) continue;
    const text = lineOf(child, maxTitle + 20);
    if (text === "") {
      if (hasCode(child)) return undefined;
      continue;
    }
    const isNumbers = isNumbering(textOf(child, 4000));
    if (isNumbers && (hasCode(child) || place.name === "tr")) continue;
    if (text.length > maxTitle || hasCode(child) || isProse(child)) return undefined;
    const names = [child, ...elementsIn(child)].some(
      ({ name, attribs }) =>
        name === "figcaption" ||
        name === "th" ||
        titleClass.test(attribs["class"] ?? "") ||
        Object.keys(attribs).some((key) => /title|filename/.test(key)),
    );
    if (!names && !isFileName(text)) return undefined;
    titles.push(text);
  }
  // Labels of the language, or of a button.
  const proper = titles.filter(
    (title) => !isLanguage(title) && !/^(?:copy|copied!?|terminal window|code|text|plain ?text)$/i.test(title),
  );
  return proper.length > 1 ? undefined : (proper[0] ?? "");
}

/** Whether a text is line numbers, which are consecutive, unlike other numbers. */
function isNumbering(text: string): boolean {
  if (!/^[\d\s]+$/.test(text)) return false;
  const numbers = text.trim().split(/\s+/).map(Number);
  // The last one may be cut.
  return numbers.slice(0, -1).every((one, at) => at === 0 || one === (numbers[at - 1] ?? 0) + 1);
}

function hasCode(element: Element): boolean {
  let examined = 0;
  for (const { name } of walk(element)) if (name === "pre" || examined++ > maxBeside) return true;
  return element.name === "pre";
}

function isProse(element: Element): boolean {
  const prose = /^(?:p|ul|ol|dl|blockquote|h[1-6])$/;
  if (prose.test(element.name)) return true;
  return elementsIn(element).some(({ name }) => prose.test(name));
}

/** A title of code as the name of its file, or else a label. */
export function titleOfCode(title: string): { readonly file?: string; readonly label?: string } {
  const bareTitle = title.replace(/^(?:file|filename):\s*/i, "").trim();
  if (bareTitle === "") return {};
  return isFileName(bareTitle) ? { file: bareTitle } : { label: bareTitle.slice(0, 60) };
}
