import { isTag, isText, type Element } from "domhandler";
import { classesOf, elementsIn, textOf, ancestorsOf, walk } from "./tree.ts";
import { isLanguage, toLanguage } from "../language.ts";

/** Classes of elements next to code that are not copied with it, such as line numbers. */
const decorations = new Set(
  "linenos lineno linenodiv lnt ln lnum linenumber line-number line-numbers line-numbers-rows linenum hljs-ln-numbers rouge-gutter gutter gutter-line codelinenumber react-syntax-highlighter-line-number ec-line-number gl src-line-numbers select-none user-select-none no-select noselect unselectable copy copybtn prompt-prefix".split(
    " ",
  ),
);
/** A class of elements that are one line each, unless the markup has line ends: `line`, `cm-line`, `code__line`, `codeLine_x`; `cl` of Hugo. */
const lineClass = /(?:^|[-_])line$|^codeLine(?:_|$)|^cl$/;
/** Class of an attribute above a declaration, which is a `<span>` in rustdoc before 1.70. */
const attributeClass = "code-attribute";
const blocks = new Set("div p li tr ol ul table tbody figure section pre dd dt blockquote".split(" "));
/** Elements in which blanks are formatting of the markup. */
const rows = new Set("table thead tbody tfoot tr ol ul".split(" "));

/**
 * The characters of code as a reader copies them: without line numbers and decorations, with an end for each line. `marked` has the
 * marked lines in the syntax of an info string: `{1,3} ins={2}`; "" without.
 */
export function textOfCode(pre: Element): { readonly code: string; readonly marked: string } {
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
    const inner = elementsIn(node).filter((child) => !isDecoration(child));
    const joined = inner.length > 1 && (inner.every(isLine) || areLines(node)) && !hasLineEnds(node, inner);
    for (const child of node.children) {
      if (isText(child)) {
        // Blanks between the elements of lines are formatting of the markup.
        if ((joined || rows.has(node.name)) && child.data.trim() === "") continue;
        push(child.data);
        continue;
      }
      if (!isTag(child) || isDecoration(child)) continue;
      if (child.name === "br") push("\n");
      else if (isPlaceholder(child, last)) continue;
      else if (joined) {
        const before = out.length;
        read(child, false);
        if (out.length === before || !last.endsWith("\n")) push("\n");
      } else if ((blocks.has(child.name) || child.attribs["class"] === attributeClass) && !root) {
        endLine();
        read(child, false);
        endLine();
      } else if (isShownAsBlock(child) && !root) {
        endLine();
        read(child, false);
        const { next } = child;
        if (next !== null && !(isText(next) && /^\r?\n/.test(next.data))) endLine();
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

/** A line's mark, in VitePress and Shiki, Docusaurus, Pygments, Expressive Code, rehype-pretty-code. */
function markOf(element: Element): Mark | undefined {
  if (element.attribs["class"] === undefined && element.attribs["data-highlighted-line"] === undefined)
    return undefined;
  const classes = classesOf(element);
  if (element.attribs["data-highlighted-line"] !== undefined) return "";
  if (classes.some((one) => one === "hll" || one === "theme-code-block-highlighted-line")) return "";
  if (!isLine(element)) return undefined;
  if (classes.some((one) => one === "del" || one === "remove")) return "del";
  if (classes.some((one) => one === "ins" || one === "add")) return "ins";
  return classes.some((one) => one === "highlighted" || one === "highlight" || one === "mark") ? "" : undefined;
}

/** Whether an element, if all beside it are such, is one line of code. */
export function isLine(element: Element): boolean {
  const { name } = element;
  return (
    name === "br" ||
    name === "tr" ||
    name === "li" ||
    element.attribs["data-line"] !== undefined ||
    classesOf(element).some((one) => lineClass.test(one)) ||
    isShownAsBlock(element)
  );
}

/** Whether the style or class of an element makes it a block. */
export function isShownAsBlock({ attribs }: Element): boolean {
  return (
    /(?:^|;)\s*display\s*:\s*(?:block|flex|grid|table-row)\b/i.test(attribs["style"] ?? "") ||
    /(?:^|\s)(?:d-)?block(?:$|\s)/.test(attribs["class"] ?? "")
  );
}

/** Whether code is only elements of code, with nothing between them. */
function areLines({ children }: Element): boolean {
  return children.every((child) => isTag(child) && child.name === "code");
}

/** Whether the markup itself has the line ends: between the elements, or at the end of each but the last. */
function hasLineEnds(node: Element, lines: readonly Element[]): boolean {
  if (lines.some(({ name }) => blocks.has(name))) return false;
  return (
    node.children.some((child) => isText(child) && child.data.includes("\n")) ||
    lines.slice(0, -1).every((line) => line.name === "br" || textOf(line).endsWith("\n")) ||
    lines.some(({ name }) => name === "br")
  );
}

/** The space that rehype-pretty-code puts into an empty line. */
function isPlaceholder(element: Element, before: string): boolean {
  const [only, ...others] = element.children;
  if (element.name !== "span" || others.length > 0 || only === undefined || !isText(only) || only.data !== " ")
    return false;
  const { next } = element;
  return before.endsWith("\n") && next !== null && isText(next) && next.data.startsWith("\n");
}

/** Whether an element is not part of the code it is in: a line number, a button. */
export function isDecoration(element: Element): boolean {
  const { name, attribs } = element;
  if (name === "button" || attribs["unselectable"] === "on") return true;
  if (attribs["data-line-number"] !== undefined && /^\s*(?:\d+\s*)?$/.test(textOf(element, 20))) return true;
  if (/user-select\s*:\s*none/.test(attribs["style"] ?? "")) return true;
  if (attribs["class"] === undefined) return false;
  return classesOf(element).some((one) => decorations.has(one) || one.startsWith("codeLineNumber_"));
}

/** Whether `<pre>`, or the `<code>` in it, begins with a line end, which is not part of the code (HTML, "The pre element"). */
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

const noLanguage = new Set(
  "default text none wrapper plaintext plain txt null undefined source output code".split(" "),
);
const named = /^(?:language|lang|highlight-source|highlight|sourcecode)-([\w+#.-]{1,30})$/i;
/** Elements that may wrap a single block of code. */
const wrappers = new Set(["div", "figure", "code", "span", "td", "tr", "tbody", "table", "pre"]);
const maxWrappers = 9;

/** The canonical language that the markup of code names; "" without. */
export function languageOfCode(pre: Element): string {
  let inner: Element | undefined;
  // `<pre><pre class="playground"><code>` of mdBook.
  for (const element of walk(pre, ({ name }) => name === "pre")) if (element.name === "code") inner ??= element;
  for (const element of inner === undefined ? [pre] : [inner, pre]) {
    const language = declared(element) ?? bare(element);
    if (language !== undefined) return toKnown(language);
  }
  for (const element of ancestorsOf(pre, maxWrappers)) {
    if (!wrappers.has(element.name) && !element.name.includes("-")) break;
    const language = declared(element);
    // `lang-en` may be the natural language of the page.
    if (
      language !== undefined &&
      (isLanguage(language) || noLanguage.has(language) || !/(?:^|\s)lang-/.test(element.attribs["class"] ?? ""))
    )
      return toKnown(language);
  }
  return "";
}

/** The canonical name of a language; "" for words such as `none` and `text`. */
export function toKnown(language: string): string {
  return noLanguage.has(language.toLowerCase()) ? "" : toLanguage(language);
}

function declared(element: Element): string | undefined {
  const { attribs } = element;
  const attribute =
    attribs["data-language"] ?? attribs["data-lang"] ?? attribs["data-code-lang"] ?? attribs["language"];
  if (attribute !== undefined && attribute !== "") return attribute;
  // `<pre lang="py">` of GitHub; `lang="en"` is the language of the page.
  if (element.name === "pre" && isLanguage(attribs["lang"] ?? "")) return attribs["lang"];
  if (attribs["class"] === undefined) return undefined;
  const classes = classesOf(element);
  for (const [at, one] of classes.entries()) {
    const language = named.exec(one)?.[1];
    if (language !== undefined && !/^(?:wrapper|text|line|lines|only|none|copy)$/i.test(language))
      return language.replace(/;$/, "");
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
