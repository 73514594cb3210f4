import { isTag, isText, type Element } from "domhandler";
import { isFileName } from "../file-name.ts";
import { isLanguage } from "../language.ts";
import { isDecoration, languageOfCode, toKnown } from "./code.ts";
import { ancestorsOf, classesOf, elementsIn, lineOf, removeAll, textOf, walk } from "./tree.ts";

/** A block of code with the title from the elements around it, and the language that it or these say; "" without. */
export interface Frame {
  readonly pre: Element;
  readonly title: string;
  readonly language: string;
}

const inFrames = new Set(["div", "figure", "table", "tbody", "thead", "tr", "td", "th", "span", "section", "header"]);
const titleClass = /title|caption|file-?name|header|label|lang|name|tab/i;
/** Maximum number of elements examined next to a block of code. */
const maxBeside = 60;
const maxTitle = 100;
/** Words of bars that are no title: buttons, and the length of the code. */
const control =
  /^(?:copy(?: (?:code|snippet|to clipboard|link))?|copied!?|terminal window|code|(?:plain ?)?text|txt|none|run(?: (?:code|this|it|example))?|try it(?: (?:out|online|yourself))?|(?:open|edit|view|run|try)(?: (?:it|this|code))? (?:in|on) (?:the |a )?[\w. -]{2,30}|edit|download|raw|expand|collapse|show (?:more|less)|(?:toggle )?(?:word |line |text )?wrap(?: lines| text)?|\d+ lines?\b.{0,60})$/i;

/**
 * The outermost elements that hold a single block of code and its title. Bars before these that only have labels are removed. A frame is
 * inside elements with another meaning (`isOther`), such as callouts, and may be a panel of tabs, but not contain one.
 */
export function findFrames(
  main: Element,
  { isOther, isPanel }: Readonly<Record<"isOther" | "isPanel", (element: Element) => boolean>>,
): ReadonlyMap<Element, Frame> {
  const frames = new Map<Element, Frame>();
  const bars: Element[] = [];
  const inGutter = (element: Element): boolean =>
    classesOf(element).some((one) => /^(?:linenos|linenodiv|lineno|rouge-gutter|gutter)$/.test(one));
  for (const element of walk(main, (one) => one.name !== "pre")) {
    if (element.name !== "pre") continue;
    let outermost = element;
    let title = "";
    let named = "";
    let gutter = inGutter(element);
    for (const place of ancestorsOf(element, 12)) {
      if (place === main || !(inFrames.has(place.name) || place.name.includes("-")) || isOther(place)) break;
      gutter ||= inGutter(place);
      const beside = labelsBeside(place, outermost);
      if (beside === undefined || (beside.title !== "" && title !== "" && beside.title !== title)) break;
      const { title: label, language } = beside;
      outermost = place;
      named ||= language;
      if (label !== "") title = label;
      if (isPanel(place)) break;
    }
    if (gutter) continue;
    const bar = barBefore(outermost);
    if (bar !== undefined) bars.push(bar.element);
    named ||= bar?.language ?? "";
    frames.set(outermost, { pre: element, title, language: languageOfCode(element) || toKnown(named) });
  }
  removeAll(bars);
  return frames;
}

/** Title and language on the labels next to code, "" without; undefined if the element around both has other content. */
function labelsBeside(
  place: Element,
  code: Element,
): { readonly title: string; readonly language: string } | undefined {
  const labels: string[] = [];
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
    const parts = partsOf(child);
    if (!names && (child.name.startsWith("t") || !parts.every((part) => isFileName(part) || isLabel(part))))
      return undefined;
    labels.push(...(parts.some(isLabel) ? parts : [text]));
  }
  const proper = labels.filter((label) => !isLabel(label));
  return proper.length > 1 ? undefined : { title: proper[0] ?? "", language: labels.find(isLanguage) ?? "" };
}

/** Texts of the elements of a bar; an element with text of its own is one. */
function partsOf(bar: Element): readonly string[] {
  const { children } = bar;
  if (children.some((child) => isText(child) && child.data.trim() !== "")) return [lineOf(bar, maxTitle)];
  return elementsIn(bar).flatMap((child) => (isDecoration(child) ? [] : partsOf(child)));
}

/** Labels of the language, or of a button. */
function isLabel(text: string): boolean {
  return control.test(text) || (isLanguage(text) && toKnown(text) !== "");
}

/** The element right before code if it has nothing but labels, one of them the language. */
function barBefore({ prev }: Element): { readonly element: Element; readonly language: string } | undefined {
  const element = prev !== null && isText(prev) && prev.data.trim() === "" ? prev.prev : prev;
  if (element === null || !isTag(element) || !/^(?:div|header|figcaption)$/.test(element.name)) return undefined;
  if (lineOf(element, maxTitle).length >= maxTitle || hasCode(element) || isProse(element)) return undefined;
  const parts = partsOf(element);
  const language = parts.find(isLanguage);
  return language === undefined || !parts.every(isLabel) ? undefined : { element, language };
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
  return isFileName(bareTitle) ? { file: bareTitle } : { label: bareTitle };
}
