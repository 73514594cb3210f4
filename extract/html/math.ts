import { isTag, isText, Text, type ChildNode, type Element, type ParentNode } from "domhandler";
import { keysByWord } from "../language.ts";
import type { Inline } from "../tree/nodes.ts";
import { classesOf, lineOf, textOf, walk } from "./tree.ts";

/** Formulas as KaTeX, MathJax 2 to 4, MathML, Wikipedia, LaTeX2HTML, Sphinx, Pandoc and GitHub mark them. */

/** What a name or class of a formula has in it. */
const named = /math|katex|mjx/i;
/** Classes of formulas that a program has drawn. */
const drawn =
  /^(?:katex(?:-(?:display|block|inline))?|MathJax(?:_(?:SVG_)?Display|_SVG|_CHTML)?|MJXc-display|mjx-chtml|mwe-math-element.*)$/;
/** Classes of elements whose text is TeX, with or without delimiters. */
const written = /^math(?:-(?:inline|display))?$/;
const writtenIn = new Set("span div code d-math tex-math math-renderer".split(" "));
/** Elements whose characters are no formulas. */
const verbatim = new Set("pre code kbd samp tt textarea script style svg title xmp listing".split(" "));
const displayed = /(?:^|[\s_-])(?:display|block)(?=$|\s)/i;
const imageClass = /(?:^|[\s_-])(?:math|tex|latex|formula|equation)(?:$|[\s_-])/i;
const imageSource = /\/math\/render\/|latex\.codecogs\.com|[?&](?:math|tex|latex)=/i;
/** A formula with its delimiters. */
const complete = /^(?:\$[^]+\$|\\\([^]+\\\)|\\\[[^]+\\\])$/;

/**
 * The formula that an element is: in TeX with its delimiters, `$…$` or `$$…$$` on lines of their own if the page has none; in words
 * where the page has no TeX. Undefined for other elements.
 */
function mathOf(element: Element): string | undefined {
  const { name, attribs, children } = element;
  if (name === "script") return ofScript(element);
  if (name === "img") return ofImage(attribs);
  if (!named.test(name) && !named.test(attribs["class"] ?? "")) return undefined;
  const classes = classesOf(element);
  if (name === "math" || name === "mjx-container" || classes.some((one) => drawn.test(one))) return ofDrawing(element);
  if (!writtenIn.has(name) || !children.every(isText)) return undefined;
  if (!name.includes("-") && !classes.some((one) => written.test(one))) return undefined;
  const isNamed = name.includes("-") || classes.some((one) => /^(?:inline|display|math-.*)$/.test(one));
  const tex = textOf(element);
  return isNamed || /[\\^_{=]/.test(tex) ? delimited(tex, isDisplayed(element)) : undefined;
}

/** Makes each formula in a document an element `#formula` or `#math` with its text, before what it is made of is cleaned away. */
export function unifyFormulas(document: ParentNode): void {
  const open = [document];
  for (let node = open.pop(); node !== undefined; node = open.pop())
    // Backwards, as a script comes after what is drawn of it.
    for (let at = node.children.length - 1; at >= 0; at--) {
      const child = node.children[at];
      if (child === undefined || !isTag(child)) continue;
      const formula = mathOf(child);
      if (formula !== undefined) {
        if (child.name === "script") emptyDrawings(node.children, at);
        // The attributes stay, as they may hide it.
        child.name = /^(?:\$\$\n|\\\[)/.test(formula) ? "#formula" : "#math";
        child.children = [new Text(formula)];
      } else if (!verbatim.has(child.name)) open.push(child);
    }
}

function emptyDrawings(siblings: readonly ChildNode[], script: number): void {
  for (let at = script - 1; at >= 0; at--) {
    const node = siblings[at];
    if (node === undefined) return;
    if (isText(node) && node.data.trim() === "") continue;
    if (!isTag(node) || !classesOf(node).some((one) => /^(?:MathJax|MJX|mjx-)/.test(one))) return;
    node.attribs = {};
    node.children = [];
  }
}

const opening = /(?<!\\)\\[([]|\$\$|\\begin\{(?:equation|align|alignat|gather|multline|flalign|eqnarray)\*?\}/g;

/** The words of a text, and the formulas in it that have delimiters, which stay character by character. */
export function splitFormulas(text: string): readonly Inline[] {
  const parts: Inline[] = [];
  const missing = new Set<string>();
  let done = 0;
  for (const { 0: start, index } of text.matchAll(opening)) {
    const end = start.startsWith("\\b") ? start.replace("begin", "end") : start.replace("(", ")").replace("[", "]");
    if (index < done || missing.has(end)) continue;
    const at = text.indexOf(end, index + start.length);
    if (at < 0) missing.add(end);
    else {
      if (index > done) parts.push({ type: "words", text: text.slice(done, index) });
      done = at + end.length;
      parts.push({ type: "math", written: text.slice(index, done) });
    }
  }
  if (done < text.length) parts.push({ type: "words", text: text.slice(done) });
  return parts;
}

function isDisplayed({ attribs }: Element): boolean {
  const { display, mode, block } = attribs;
  if (display === "block" || display === "true" || mode === "display" || block !== undefined) return true;
  return displayed.test(attribs["class"] ?? "");
}

function delimited(source: string, isDisplay: boolean): string | undefined {
  const tex = source.trim().replace(/\n\s*\n/g, "\n");
  if (tex === "" || complete.test(tex)) return tex || undefined;
  if (isDisplay) return `$$\n${tex}\n$$`;
  return tex.includes("$") ? `\\(${tex}\\)` : `$${tex}$`;
}

/** The source of MathJax 2. */
function ofScript(script: Element): string | undefined {
  const { type = "" } = script.attribs;
  if (!/^math\/tex\b/i.test(type)) return undefined;
  // kramdown escapes it for XML.
  const tex = textOf(script)
    .trim()
    .replace(/^(?:% ?)?<!\[CDATA\[|(?:% ?)?\]\]>$/g, "");
  return delimited(tex, /mode\s*=\s*display/i.test(type));
}

function ofImage({ alt = "", class: classes = "", src = "" }: Readonly<Record<string, string>>): string | undefined {
  const isMeant = (imageClass.test(classes) || imageSource.test(src)) && /[\\^_{=]|^\S+$/.test(alt.trim());
  return isMeant || complete.test(alt.trim()) ? delimited(alt, displayed.test(classes)) : undefined;
}

/** The TeX that belongs to a drawing, else the words of its MathML. */
function ofDrawing(drawing: Element): string | undefined {
  let isDisplay = isDisplayed(drawing);
  let math: Element | undefined;
  let image: string | undefined;
  for (const one of [drawing, ...walk(drawing)]) {
    const { name, attribs } = one;
    if (name === "math") {
      isDisplay ||= isDisplayed(one);
      math ??= one;
    }
    const isSource = name === "annotation" && /tex$/i.test(attribs["encoding"] ?? "");
    const tex = isSource ? textOf(one) : /^(?:mjx-)?math$|^mjx-container$/.test(name) && attribs["data-latex"];
    if (typeof tex === "string" && tex.trim() !== "") return delimited(tex, isDisplay);
    if (name === "img") image ??= ofImage(attribs);
  }
  // KaTeX can be told to draw without any source.
  const isBare = math === undefined && /(?:^|\s)katex/.test(drawing.attribs["class"] ?? "");
  return image ?? ((isBare ? lineOf(drawing) : math && wordsOf(math).trim()) || undefined);
}

const wordless = new Set(["annotation", "annotation-xml", "mphantom", "none", "mprescripts", "mspace"]);
/** Operators with a blank at either side. */
const relation = /^(?:[=<>≤≥≠≈≡∈∉⊂⊆∼→⇒⇔↦]|:=)$/;
/** Signs that are set above or behind a letter. */
const accent = /^[′″‴'¯ˉ‾~˜^ˆ→˙¨_.]+$/;

/** The signs before the second and third part of an element. */
const scripts = keysByWord({ "^": "msup mover", _: "msub munder", "_^": "msubsup munderover", "/": "mfrac" });
const separators: Readonly<Record<string, string>> = { mtable: "; ", mtr: ", ", mfenced: ", ", mroot: ", " };

/** MathML in words: `x^2`, `a_(i+1)`, `(a+b)/c`, `√(xy)`. */
function wordsOf({ name, attribs, children }: Element): string {
  const texts = children.flatMap((child) => {
    if (isTag(child)) return wordless.has(child.name) ? [] : [wordsOf(child)];
    return isText(child) && child.data.trim() !== "" ? [leafOf(child.data, name)] : [];
  });
  const [first = "", ...others] = texts;
  const signs = scripts.get(name);
  if (signs !== undefined)
    return others.reduce((base, part, at) => raised(base, signs[at] ?? "", part), grouped(first));
  const text = separators[name] === undefined ? joined(texts) : texts.join(separators[name]);
  if (name === "mfenced") return `${attribs["open"] ?? "("}${text}${attribs["close"] ?? ")"}`;
  return name === "msqrt" || name === "mroot" ? `√${grouped(text)}` : text;
}

function leafOf(data: string, name: string): string {
  const text = data.replace(/\s+/g, " ").replace(/[\u2061-\u2064]/g, "");
  return name === "mtext" ? text : text.trim().replace(relation, " $& ");
}

function raised(base: string, sign: string, script: string): string {
  if (script.trim() === "") return base;
  return accent.test(script) ? `${base}${script}` : `${base}${sign}${grouped(script)}`;
}

function grouped(text: string): string {
  const inner = text.trim();
  return /^(?:[\p{N}.]*|.|\([^()]*\))$/u.test(inner) ? inner : `(${inner})`;
}

/** Concatenates parts, with a blank between words. */
function joined(texts: readonly string[]): string {
  const shown = texts.filter((text) => text !== "");
  const spaced = shown.map((text, at) => {
    const border = `${shown[at - 1]?.slice(-2) ?? ""}\n${text.slice(0, 2)}`;
    return /\w\w\n[\p{L}\p{N}]|[\p{L}\p{N}]\n\w\w/u.test(border) ? ` ${text}` : text;
  });
  return spaced.join("");
}
