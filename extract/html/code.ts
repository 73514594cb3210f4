import { isTag, isText } from "domhandler";
import type { Element } from "domhandler";
import { isFileName } from "../file-name.ts";
import { isLanguage, toLanguage } from "../language.ts";
import { above, classesOf, elementsIn, lineOf, textOf, walk } from "./tree.ts";

/** What stands beside the lines of code and is not copied with them. */
const besideLines = new Set(
  "linenos lineno linenodiv lnt ln lnum linenumber line-number line-numbers line-numbers-rows linenum hljs-ln-numbers rouge-gutter gutter gutter-line codelinenumber react-syntax-highlighter-line-number ec-line-number gl src-line-numbers select-none user-select-none no-select noselect unselectable copy copybtn prompt-prefix".split(
    " ",
  ),
);
/** Elements that stand for a line. Where no line ends stand between or in them, each is one. */
const lineClasses = new Set(
  "line ec-line token-line code-line view-line cm-line CodeMirror-line hljs-ln-line cl highlight-line".split(" "),
);
const blocks = new Set("div p li tr ol ul table tbody figure section pre dd dt".split(" "));

/** The text of a block of code. */
export interface CodeText {
  readonly code: string;
  /** Which of its lines are marked, as the words behind a fence say it: `{1,3} ins={2}`; "" where none is. */
  readonly marked: string;
}

/** The characters of code as a reader copies them: without numbers of lines and what is drawn beside, with an end for each line. */
export function textOfCode(pre: Element): CodeText {
  const out: string[] = [];
  const marks: Record<Mark, string[]> = { "": [], ins: [], del: [] };
  let last = "";
  let line = 1;
  const push = (text: string): void => {
    if (text === "") return;
    out.push(text);
    last = text;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) line++;
  };
  const endLine = (): void => {
    if (out.length > 0 && !last.endsWith("\n")) push("\n");
  };
  const read = (node: Element, root: boolean): void => {
    const mark = markOf(node);
    const first = line;
    readInside(node, root);
    if (mark === undefined) return;
    const end = last.endsWith("\n") ? line - 1 : line;
    marks[mark].push(end > first ? `${first}-${end}` : String(first));
  };
  const readInside = (node: Element, root: boolean): void => {
    const inner = elementsIn(node);
    const joined = inner.length > 1 && inner.every(isLine) && !hasLineEnds(node, inner);
    for (const child of node.children) {
      if (isText(child)) {
        // Blanks between elements of lines are those of the markup.
        if (joined && child.data.trim() === "") continue;
        push(child.data);
        continue;
      }
      if (!isTag(child) || isBeside(child)) continue;
      if (child.name === "br") push("\n");
      else if (isPlaceholder(child, last)) continue;
      else if (joined) {
        const before = out.length;
        read(child, false);
        if (out.length === before || !last.endsWith("\n")) push("\n");
      } else if ((blocks.has(child.name) || isAttribute(child)) && !root) {
        endLine();
        read(child, false);
        endLine();
      } else read(child, root && child.name === "code");
    }
  };
  read(pre, false);
  let code = out.join("");
  if (startsWithLineEnd(pre)) code = code.replace(/^(?:\r\n?|\n)/, "");
  if (code.includes("\u00A0") && !code.includes(" ")) code = code.replaceAll("\u00A0", " ");
  const marked = Object.entries(marks).flatMap(([name, lines]) =>
    lines.length === 0 ? [] : [name === "" ? `{${lines.join()}}` : `${name}={${lines.join()}}`],
  );
  return { code: code.replace(/(?:\r\n?|\n)[ \t]*$/, ""), marked: marked.join(" ") };
}

type Mark = "" | "ins" | "del";

/** How a theme marks a line: VitePress and Shiki, Docusaurus, Pygments, Expressive Code, rehype-pretty-code. */
function markOf(element: Element): Mark | undefined {
  if (element.attribs["class"] === undefined && element.attribs["data-highlighted-line"] === undefined)
    return undefined;
  const classes = classesOf(element);
  if (
    classes.includes("hll") ||
    classes.includes("theme-code-block-highlighted-line") ||
    element.attribs["data-highlighted-line"] !== undefined
  )
    return "";
  if (!isLine(element)) return undefined;
  if (classes.some((one) => one === "del" || one === "remove")) return "del";
  if (classes.some((one) => one === "ins" || one === "add")) return "ins";
  return classes.some((one) => one === "highlighted" || one === "highlight" || one === "mark") ? "" : undefined;
}

function isLine(element: Element): boolean {
  const { name } = element;
  return (
    name === "br" ||
    name === "tr" ||
    name === "li" ||
    element.attribs["data-line"] !== undefined ||
    classesOf(element).some((one) => lineClasses.has(one))
  );
}

/** Whether lines end where the markup has a line end: between elements, or at the end of each but the last. */
function hasLineEnds(node: Element, lines: readonly Element[]): boolean {
  if (lines.some(({ name }) => blocks.has(name))) return false;
  return (
    node.children.some((child) => isText(child) && child.data.includes("\n")) ||
    lines.slice(0, -1).every((line) => line.name === "br" || textOf(line).endsWith("\n")) ||
    lines.some(({ name }) => name === "br")
  );
}

/** The blank that rehype-pretty-code puts into an empty line. */
function isPlaceholder(element: Element, before: string): boolean {
  const [only, ...others] = element.children;
  if (element.name !== "span" || others.length > 0 || only === undefined || !isText(only) || only.data !== " ")
    return false;
  const { next } = element;
  return before.endsWith("\n") && next !== null && isText(next) && next.data.startsWith("\n");
}

/** An attribute above a declaration, which rustdoc before 1.70 sets in a `<span>`. */
function isAttribute(element: Element): boolean {
  return element.attribs["class"] === "code-attribute";
}

function isBeside(element: Element): boolean {
  const { name, attribs } = element;
  if (name === "button" || attribs["unselectable"] === "on" || attribs["data-line-number"] !== undefined) return true;
  if (/user-select\s*:\s*none/.test(attribs["style"] ?? "")) return true;
  if (attribs["class"] === undefined) return false;
  return classesOf(element).some((one) => besideLines.has(one) || one.startsWith("codeLineNumber_"));
}

/** A line end behind `<pre>`, or behind the `<code>` in it, is not part of the code (HTML, "The pre element"). */
function startsWithLineEnd(pre: Element): boolean {
  let node = pre;
  for (let depth = 0; depth < 3; depth++) {
    const first = node.children.find((child) => !(isTag(child) && child.children.length === 0));
    if (first === undefined) return false;
    if (isText(first)) return /^[\r\n]/.test(first.data);
    if (!isTag(first) || (first.name !== "code" && first.name !== "pre")) return false;
    node = first;
  }
  return false;
}

const noLanguage = new Set([
  "default",
  "text",
  "none",
  "wrapper",
  "plaintext",
  "plain",
  "txt",
  "null",
  "undefined",
  "source",
  "output",
  "code",
]);
const named = /^(?:language|lang|highlight-source|highlight|sourcecode)-([\w+#.-]{1,30})$/i;
/** Elements that hold nothing but one block of code. */
const around = new Set(["div", "figure", "code", "span", "td", "tr", "tbody", "table", "pre"]);
const maxAround = 9;

/** The language that code names, canonical; "" where it names none. */
export function languageOfCode(pre: Element): string {
  let inner: Element | undefined;
  // `<pre><pre class="playground"><code>` of mdBook.
  for (const element of walk(pre, ({ name }) => name === "pre")) if (element.name === "code") inner ??= element;
  for (const element of inner === undefined ? [pre] : [inner, pre]) {
    const language = declared(element) ?? bare(element);
    if (language !== undefined) return toKnown(language);
  }
  for (const element of above(pre, maxAround)) {
    if (!around.has(element.name) && !element.name.includes("-")) break;
    const language = declared(element);
    // `lang-en` of a whole page is not a language of code.
    if (
      language !== undefined &&
      (isLanguage(language) || noLanguage.has(language) || !/(?:^|\s)lang-/.test(element.attribs["class"] ?? ""))
    )
      return toKnown(language);
  }
  return "";
}

function toKnown(language: string): string {
  return noLanguage.has(language.toLowerCase()) ? "" : toLanguage(language);
}

function declared(element: Element): string | undefined {
  const { attribs } = element;
  const said = attribs["data-language"] ?? attribs["data-lang"] ?? attribs["data-code-lang"] ?? attribs["language"];
  if (said !== undefined && said !== "") return said;
  if (attribs["class"] === undefined) return undefined;
  const classes = classesOf(element);
  for (const [at, one] of classes.entries()) {
    const found = named.exec(one)?.[1];
    if (found !== undefined && !/^(?:wrapper|text|line|lines|only|none|copy)$/i.test(found))
      return found.replace(/;$/, "");
    if (/^brush:$/i.test(one)) return (classes[at + 1] ?? "").split(";", 1)[0];
    if (/^sourceCode$/.test(one) && classes[at + 1] !== undefined && isLanguage(classes[at + 1] ?? ""))
      return classes[at + 1];
  }
  return undefined;
}

/** `<code class="ts">` of TypeDoc, `<pre class="rust">` of rustdoc, `hljs javascript`. */
function bare(element: Element): string | undefined {
  return classesOf(element).find((one) => isLanguage(one) && !noLanguage.has(one));
}

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
    for (const place of above(element, 12)) {
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
