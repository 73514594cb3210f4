import { isTag, isText } from "domhandler";
import type { Element } from "domhandler";
import { isFileName } from "../file-name.ts";
import { isLanguage } from "../language.ts";
import { isBeside } from "./code.ts";
import { ancestorsOf, classesOf, elementsIn, lineOf, textOf, walk } from "./tree.ts";

/** What stands around a block of code and belongs to it: its title, its language, a button. */
export interface Frame {
  readonly pre: Element;
  readonly title: string;
}

const inFrames = new Set(["div", "figure", "table", "tbody", "thead", "tr", "td", "th", "span", "section", "header"]);
const titleClass = /title|caption|file-?name|header|label|lang|name|tab/i;
/** Elements that are looked at beside one block of code. */
const maxBeside = 60;
const maxTitle = 100;

/** Elements with a meaning of their own, such as callouts, and panels of tabs, whose own element may hold code. */
interface FrameBounds {
  isOther(element: Element): boolean;
  isPanel(element: Element): boolean;
}

/** The elements that hold nothing but one block of code and its title, the outermost of each. */
export function findFrames(main: Element, { isOther, isPanel }: FrameBounds): ReadonlyMap<Element, Frame> {
  const frames = new Map<Element, Frame>();
  const inGutter = (element: Element): boolean =>
    classesOf(element).some(
      (one) =>
        one === "linenos" || one === "linenodiv" || one === "lineno" || one === "rouge-gutter" || one === "gutter",
    );
  for (const element of walk(main, (one) => one.name !== "pre")) {
    if (element.name !== "pre") continue;
    let outermost = element;
    let title = "";
    let gutter = inGutter(element);
    for (const place of ancestorsOf(element, 12)) {
      if (place === main || !(inFrames.has(place.name) || place.name.includes("-")) || isOther(place)) break;
      gutter ||= inGutter(place);
      const said = besideCode(place, outermost);
      if (said === undefined || (said !== "" && title !== "" && said !== title)) break;
      outermost = place;
      if (said !== "") title = said;
      if (isPanel(place)) break;
    }
    if (!gutter) frames.set(outermost, { pre: element, title });
  }
  return frames;
}

/** What an element says beside its code: "" or a title; undefined where it says more, or holds other code. */
function besideCode(place: Element, code: Element): string | undefined {
  const titles: string[] = [];
  let looked = 0;
  for (const child of place.children) {
    if (child === code) continue;
    if (looked++ > maxBeside) return undefined;
    if (isText(child)) {
      if (child.data.trim() !== "") return undefined;
      continue;
    }
    if (!isTag(child) || isBeside(child)) continue;
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
  // A label of the language beside a file's name.
  const telling = titles.filter(
    (title) => !isLanguage(title) && !/^(?:copy|copied!?|terminal window|code|text|plain ?text)$/i.test(title),
  );
  return telling.length > 1 ? undefined : (telling[0] ?? "");
}

/** Numbers of lines are one more each; what code prints may be numbers too. */
function isNumbering(text: string): boolean {
  if (!/^[\d\s]+$/.test(text)) return false;
  const numbers = text.trim().split(/\s+/).map(Number);
  // The last one may be cut.
  return numbers.slice(0, -1).every((one, at) => at === 0 || one === (numbers[at - 1] ?? 0) + 1);
}

function hasCode(element: Element): boolean {
  let looked = 0;
  for (const { name } of walk(element)) if (name === "pre" || looked++ > maxBeside) return true;
  return element.name === "pre";
}

function isProse(element: Element): boolean {
  const prose = /^(?:p|ul|ol|dl|blockquote|h[1-6])$/;
  if (prose.test(element.name)) return true;
  return elementsIn(element).some(({ name }) => prose.test(name));
}

/** What a title says of code: the name of its file, or else a label. */
export function titleOfCode(title: string): { readonly file?: string; readonly label?: string } {
  const bareTitle = title.replace(/^(?:file|filename):\s*/i, "").trim();
  if (bareTitle === "") return {};
  return isFileName(bareTitle) ? { file: bareTitle } : { label: bareTitle.slice(0, 60) };
}
