import { readFileSync } from "node:fs";
import { parseHTML } from "linkedom";

/** What a page is known to have, read without anything that is measured: from its Markdown, or from the element that holds its content. */
export interface Truth {
  readonly codes: readonly { readonly code: string; readonly language: string }[];
  /** Words of its text. */
  readonly words: readonly string[];
}

const fence = /^( {0,3})(`{3,}|~{3,})[ \t]*([^\n`]*)\n([^]*?)^ {0,3}\2[`~]*[ \t]*$/gm;

/** The fences and words of Markdown, without its front matter. */
export function ofMarkdown(path: string): Truth {
  const text = readFileSync(path, "utf8").replace(/^---\n[^]*?\n---\n/, "");
  const codes = [...text.matchAll(fence)].map(([, indent = "", , info = "", code = ""]) => ({
    code: code.replace(/\n$/, "").replaceAll(new RegExp(`^ {0,${indent.length}}`, "gm"), ""),
    language: /^[\w+#-]+/.exec(info)?.[0] ?? "",
  }));
  const prose = text.replace(fence, " ").replace(/^[ \t]*(?:#+|[-*+]|\d+\.|>)|\]\([^)]*\)|[`*_|[\]]/gm, " ");
  return { codes: codes.filter(({ code }) => code.trim() !== ""), words: wordsOf(prose) };
}

const aside =
  "button, .boring, script, style, svg, nav, .linenos, .lineno, .linenodiv, .lnt, .headerlink, .header-anchor, .hash-link, .sr-only, .visually-hidden, a[href^='#']:empty";
const language = /(?:^|\s)(?:language-|lang-|highlight-(?!source)|highlight-source-|brush: ?|sourceCode )([\w+#-]+)/;

/** The preformatted text in an element, as the page has it, and the element's words. */
export function ofElement(html: string, selector: string): Truth {
  const { document } = parseHTML(html);
  const mains = [...document.querySelectorAll(selector)];
  for (const main of mains) for (const element of main.querySelectorAll(aside)) element.remove();
  const codes = mains.flatMap((main) =>
    [...main.querySelectorAll("pre")].filter((pre) => !pre.parentElement?.closest("pre")).map(toCode),
  );
  for (const main of mains) for (const pre of main.querySelectorAll("pre")) pre.remove();
  const words = mains.flatMap((main) =>
    wordsOf([...main.querySelectorAll("p, li, td, dd, h1, h2, h3, h4, dt")].map((one) => one.textContent).join(" ")),
  );
  return { codes: codes.filter(({ code }) => code.trim() !== ""), words };
}

type Element = ReturnType<typeof parseHTML>["document"]["documentElement"];

function toCode(pre: Element): Truth["codes"][number] {
  for (const br of pre.querySelectorAll("br")) br.replaceWith("\n");
  const names = [pre.querySelector("code"), pre, pre.parentElement, pre.parentElement?.parentElement].map(
    (element) =>
      element?.getAttribute("data-language") ?? language.exec(element?.getAttribute("class") ?? "")?.[1] ?? "",
  );
  const code = (pre.textContent ?? "").replace(/^\r?\n/, "").replace(/\r?\n[ \t]*$/, "");
  return { code, language: names.find((name) => name !== "") ?? "" };
}

/** Words of a text, lower-case, without those of a letter or two. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
}
