import { spaced, table, type Node } from "./document.ts";

/** Which of the forms that mean the same is written, 0 to 2, and the nodes that a dialect writes otherwise. */
export interface HtmlForm {
  readonly variant: number;
  readonly own?: Readonly<Record<string, (node: Node, inside: string) => string>> | undefined;
}

const escaped = (text = ""): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Address of every link and image. */
export const address = "https://example.com/tools";

function math(tex = "", variant: number, isBlock: boolean): string {
  const [words, name] = [escaped(tex), isBlock ? "div" : "span"];
  const [open, close] = isBlock ? ["\n\\[", "\\]"] : ["\\(", "\\)"];
  if (variant === 0) return `<${name} class="math notranslate nohighlight">${open}${words}${close}</${name}>`;
  if (variant === 2) return `<script type="math/tex${isBlock ? "; mode=display" : ""}">${tex}</script>`;
  return `<span${isBlock ? ' class="katex-display"' : ""}><span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mo>∑</mo><mi>m</mi></mrow><annotation encoding="application/x-tex">${words}</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span class="base">∑m</span></span></span></span>`;
}

function inlineHtml(nodes: readonly Node[] | undefined, form: HtmlForm): string {
  const write = (node: Node): string => {
    const { type, text = "", title = "", inside } = node;
    const words = inside === undefined ? escaped(text) : inlineHtml(inside, form);
    if (form.own?.[type] !== undefined) return form.own[type](node, words);
    if (type === "text") return words;
    if (type === "link") return `<a href="${address}">${words}</a>`;
    if (type === "autolink") return `<a href="${words}">${words}</a>`;
    if (type === "image") return `<img src="${address}.png" alt="${words}"/>`;
    if (type === "break") return "<br/>";
    if (type === "math") return math(text, form.variant, false);
    if (type === "note")
      return `<sup class="footnote-ref"><a href="#fn${title}" id="fnref${title}">[${title}]</a></sup>`;
    const name = type === "codespan" ? "code" : type;
    return `<${name}>${words}</${name}>`;
  };
  return spaced(nodes).map(write).join("");
}

const noteHtml = ({ title, text }: Node): string =>
  `<li id="fn${title}" class="footnote-item"><p>${text} <a href="#fnref${title}" class="footnote-backref">↩︎</a></p></li>`;

function codeHtml({ text, title }: Node, variant: number): string {
  const words = escaped(text);
  const pre = [
    `<pre><code class="language-js">${words}\n</code></pre>`,
    `<div class="highlight-js notranslate"><div class="highlight"><pre>${words}\n</pre></div></div>`,
    `<div class="highlight highlight-source-js"><pre>${words}</pre></div>`,
  ][variant];
  return title === undefined ? `${pre}` : `<figure><figcaption>${title}</figcaption>${pre}</figure>`;
}

function calloutHtml({ kind = "note", title }: Node, body: string, variant: number): string {
  const label = title ?? kind.charAt(0).toUpperCase() + kind.slice(1);
  if (variant === 0) return `<div class="admonition ${kind}"><p class="admonition-title">${label}</p>${body}</div>`;
  if (variant === 2) return `<div class="${kind} custom-block"><p class="custom-block-title">${label}</p>${body}</div>`;
  return `<div class="theme-admonition theme-admonition-${kind} alert alert--secondary"><div class="admonitionHeading_Gvgb"><span class="admonitionIcon_Rf37"><svg viewBox="0 0 14 16"><path d="M6"></path></svg></span>${label}</div><div class="admonitionContent_BuS1">${body}</div></div>`;
}

function tabsHtml(tabs: readonly Node[], form: HtmlForm): string {
  const all = (write: (id: string, title: string, body: string, at: number) => string): string =>
    tabs.map(({ title = "", inside }, at) => write(title, title, blocksHtml(inside, form), at)).join("");
  if (form.variant === 0)
    return `<div class="tabs-container"><ul role="tablist" class="tabs">${all((id, title, _, at) => `<li role="tab" id="t${id}" aria-controls="${id}" aria-selected="${at === 0}">${title}</li>`)}</ul>${all((id, _, body, at) => `<div role="tabpanel" id="${id}" aria-labelledby="t${id}"${at === 0 ? "" : " hidden"}>${body}</div>`)}</div>`;
  if (form.variant === 1)
    return `<div class="tabbed-set tabbed-alternate" data-tabs="1:2">${all((id) => `<input id="${id}" name="__tabbed_1" type="radio"/>`)}<div class="tabbed-labels">${all((id, title) => `<label for="${id}">${title}</label>`)}</div><div class="tabbed-content">${all((_, __, body) => `<div class="tabbed-block">${body}</div>`)}</div></div>`;
  return `<div class="sd-tab-set docutils">${all((id, title, body) => `<input id="${id}" name="s" type="radio"/><label class="sd-tab-label" for="${id}">${title}</label><div class="sd-tab-content docutils">${body}</div>`)}</div>`;
}

const names = table("paragraph=p list=ul tasks=ul item=li quote=blockquote row=tr definitions=dl");

/** Blocks as HTML. */
export const blocksHtml = (nodes: readonly Node[] = [], form: HtmlForm): string =>
  nodes.map((node) => blockHtml(node, form)).join("");

function insideOf({ type, inside = [] }: Node, form: HtmlForm): string {
  if (/^(?:paragraph|heading|caption|figure)$/.test(type)) return inlineHtml(inside, form);
  const [first, ...others] = inside;
  const words = inlineHtml(first?.inside, form);
  if (type === "definition") return `<dt>${words}</dt><dd>${blocksHtml(others, form)}</dd>`;
  // A lone paragraph needs no element.
  const isTight = /^(?:item|cell)$/.test(type) && others.length === 0 && form.variant !== 1;
  return isTight ? words : blocksHtml(inside, form);
}

function blockHtml(node: Node, form: HtmlForm): string {
  const { type, inside = [], text = "", title, start, level, done, head, columns, rows } = node;
  if (type === "tabs") return tabsHtml(inside, form);
  const body = insideOf(node, form);
  if (form.own?.[type] !== undefined) return form.own[type](node, body);
  if (type === "definition") return body;
  const box = `<input type="checkbox" disabled=""${done ? ' checked=""' : ""}/> `;
  if (done !== undefined)
    return `<li class="task-list-item">${body.startsWith("<p>") ? `<p>${box}${body.slice(3)}` : box + body}</li>`;
  if (type === "callout") return calloutHtml(node, body, form.variant);
  if (type === "code") return codeHtml(node, form.variant);
  if (type === "formula") return math(text, form.variant, true);
  if (type === "row" && inside[0]?.head && form.variant !== 2) return `<thead><tr>${body}</tr></thead>`;
  if (type === "expand") return `<details><summary>${title}</summary>${body}</details>`;
  if (type === "figure") return `<figure><img src="${address}.png" alt=""/><figcaption>${body}</figcaption></figure>`;
  const other = { heading: `h${level}`, cell: head ? "th" : "td" }[type];
  const name = start === undefined ? (other ?? names[type] ?? type) : "ol";
  const attributes = Object.entries({ start, colspan: columns, rowspan: rows });
  const written = attributes.map(([key, value]) => (value === undefined ? "" : ` ${key}="${value}"`));
  return `<${name}${written.join("")}>${body}</${name}>`;
}

/** A page. */
export function pageHtml(nodes: readonly Node[], notes: readonly Node[], variant: number): string {
  const list = `<section class="footnotes"><ol class="footnotes-list">${notes.map(noteHtml).join("")}</ol></section>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title></head><body><main><article>${blocksHtml(nodes, { variant })}${notes.length === 0 ? "" : list}</article></main></body></html>`;
}
