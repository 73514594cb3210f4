import { Element, Text, isTag, isText, type ChildNode, type ParentNode } from "domhandler";
import { keysByWord } from "../language.ts";
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
export function mathOf(element: Element): string | undefined {
  const { name, attribs, children } = element;
  if (name === "math" && children.every(isText)) return textOf(element).trim() || undefined;
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

/**
 * Replaces each formula in a page by a single element whose text it is, and empties what MathJax shows beside its source, so that
 * whatever reads the page finds it once.
 */
export function unifyFormulas(page: ParentNode): void {
  const open = [page];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.children.some((child) => isText(child) && /[$\\]/.test(child.data)))
      node.children = node.children.flatMap((child) => (isText(child) ? splitText(child) : [child]));
    // Backwards, as a script comes after what is drawn of it.
    for (let at = node.children.length - 1; at >= 0; at--) {
      const child = node.children[at];
      if (child === undefined || !isTag(child)) continue;
      const formula = mathOf(child);
      if (formula !== undefined) {
        if (child.name === "script") emptyDrawings(node.children, at);
        becomeFormula(child, formula);
      } else if (!verbatim.has(child.name)) open.push(child);
    }
  }
}

/** Keeps the attributes, which may hide it. A formula on lines of its own is a block. */
function becomeFormula(element: Element, formula: string): void {
  const text = new Text(formula);
  const isBlock = formula.startsWith("$$\n");
  element.name = isBlock ? "div" : "math";
  element.children = [isBlock ? new Element("math", {}, [text]) : text];
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

/** A text with the formulas in it that have delimiters as elements of their own, character by character. */
function splitText(text: Text): readonly ChildNode[] {
  const { data, parent } = text;
  const nodes: ChildNode[] = [];
  const missing = new Set<string>();
  let done = 0;
  const add = (node: ChildNode): void => {
    node.parent = parent;
    nodes.push(node);
  };
  for (const { 0: start, index } of data.matchAll(opening)) {
    const end = start.startsWith("\\b") ? start.replace("begin", "end") : start.replace("(", ")").replace("[", "]");
    if (index < done || missing.has(end)) continue;
    const at = data.indexOf(end, index + start.length);
    if (at < 0) missing.add(end);
    else {
      if (index > done) add(new Text(data.slice(done, index)));
      done = at + end.length;
      add(new Element("math", {}, [new Text(data.slice(index, done))]));
    }
  }
  if (done === 0) return [text];
  if (done < data.length) add(new Text(data.slice(done)));
  return nodes;
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
  let tex = textOf(script).trim();
  if (tex.endsWith("]]>"))
    tex = tex
      .slice(0, -3)
      .trimEnd()
      .replace(/^%? ?<!\[CDATA\[|%$/g, "");
  return delimited(tex, /mode\s*=\s*display/i.test(type));
}

function ofImage({ alt = "", class: classes = "", src = "" }: Readonly<Record<string, string>>): string | undefined {
  const isMeant = (imageClass.test(classes) || imageSource.test(src)) && /[\\^_{=]|^\S+$/.test(alt.trim());
  return isMeant || complete.test(alt.trim()) ? delimited(alt, displayed.test(classes)) : undefined;
}

/** The TeX that belongs to a drawing, else the words of its MathML. */
function ofDrawing(drawing: Element): string | undefined {
  let isDisplay = isDisplayed(drawing);
  let math = drawing.name === "math" ? drawing : undefined;
  let image: string | undefined;
  const texOf = ({ name, attribs }: Element): string | undefined =>
    /^(?:mjx-)?math$|^mjx-container$/.test(name) ? attribs["data-latex"] : undefined;
  const own = texOf(drawing);
  if (own !== undefined) return delimited(own, isDisplay);
  for (const one of walk(drawing)) {
    if (one.name === "math") isDisplay ||= isDisplayed(one);
    const isTex = one.name === "annotation" && /tex$/i.test(one.attribs["encoding"] ?? "");
    const tex = isTex ? textOf(one) : texOf(one);
    if (tex !== undefined && tex.trim() !== "") return delimited(tex, isDisplay);
    math ??= one.name === "math" ? one : undefined;
    if (one.name === "img") image ??= ofImage(one.attribs);
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
  if (name === "mtext") return text;
  return relation.test(text.trim()) ? ` ${text.trim()} ` : text.trim();
}

function raised(base: string, sign: string, script: string): string {
  if (script.trim() === "") return base;
  return accent.test(script) ? `${base}${script}` : `${base}${sign}${grouped(script)}`;
}

function grouped(text: string): string {
  const inner = text.trim();
  return /^(?:[\p{N}.]*|.|\([^()]*\))$/u.test(inner) ? inner : `(${inner})`;
}

/** Parts one behind the other, with a blank between words. */
function joined(texts: readonly string[]): string {
  let all = "";
  for (const text of texts) {
    const [before, after] = [all.slice(-2), text.slice(0, 2)];
    const isBorder = /[\p{L}\p{N}]$/u.test(before) && /^[\p{L}\p{N}]/u.test(after);
    all += isBorder && (/^\w\w$/.test(before) || /^\w\w$/.test(after)) ? ` ${text}` : text;
  }
  return all;
}
