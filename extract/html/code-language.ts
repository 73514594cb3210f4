import type { Element } from "domhandler";
import { isLanguage, toLanguage } from "../language.ts";
import { ancestorsOf, classesOf, walk } from "./tree.ts";

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
  for (const element of ancestorsOf(pre, maxAround)) {
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
