import type { Document, Element } from "domhandler";
import { ancestorsOf, elementsIn, textOf, walk } from "./tree.ts";

/** What most pages have for their content, the best first. */
const mains: readonly ((element: Element) => boolean)[] = [
  ({ name, attribs }) => name === "main" || attribs["role"] === "main",
  ({ name }) => name === "article",
  ({ attribs }) => /^(?:main-?content|content|main|docs?|documentation)$/i.test(attribs["id"] ?? ""),
];
/** Less of the page's text than that is not its content. */
const least = 0.4;

/** What holds the content of a cleaned page that no generator is known of: what the page says is its main part, else its body. */
export function mainOf(page: Document): readonly Element[] {
  const body = [...walk(page)].find(({ name }) => name === "body");
  const whole: Document | Element = body ?? page;
  const { length } = textOf(whole);
  for (const isMain of mains) {
    const found = [...walk(whole, (element) => !isMain(element))].filter(isMain);
    const sizes = found.map((element) => textOf(element).length);
    const size = sizes.reduce((sum, one) => sum + one, 0);
    if (size > 0 && size >= length * least) return holderOf(found, whole);
  }
  return body === undefined ? elementsIn(page) : [body];
}

/** Several parts of a page are articles where each is a member of it: what holds all of them has what is said of all. */
function holderOf(found: readonly Element[], whole: Document | Element): readonly Element[] {
  const [first, ...others] = found;
  if (first === undefined || others.length === 0) return found;
  let common = [...ancestorsOf(first)];
  for (const other of others) {
    const around = new Set(ancestorsOf(other));
    common = common.filter((element) => around.has(element));
  }
  const [nearest] = common;
  return nearest === undefined || nearest === whole ? found : [nearest];
}
