import { Parser } from "htmlparser2";

/** Elements whose text nobody reads. */
const silent = new Set(
  "script style template noscript svg iframe head title textarea select option button nav header footer aside dialog".split(
    " ",
  ),
);
/** Ids and elements that frameworks put an application into: React, Vue, Next.js, Nuxt, Angular, Svelte, Gatsby, Ember, Docsify, Redoc. */
const mounts = new Set(
  "root app __next __nuxt ___gatsby svelte q-app main-app react-root docs-app redoc swagger-ui".split(" "),
);
/** Less text than that is no page, unless it has a heading and a paragraph; in characters without blanks. */
const fewCharacters = 80;
/** Minimum number of characters that count as content of a mount point: less is such as "Loading…". Beside an empty one there is no more than that. */
const fewInMount = 25;
const fewBesideMount = 600;
const headings = /^h[1-3]$/;
const paragraphs = new Set(["p", "li", "pre", "td", "dd"]);
/** Deeper elements are not told apart. */
const maxDepth = 512;

/**
 * Whether a page is empty without a browser: next to no visible text outside of navigation, though it has scripts, or an empty mount point of
 * an application. Reads events of the parser, without a tree, and stops where the page has said enough.
 */
export function needsBrowser(source: string): boolean {
  let characters = 0;
  let scripts = 0;
  let emptyMount = false;
  let hasHeading = false;
  let hasParagraph = false;
  let isDone = false;
  /** What is open: whether its text is read, and for a mount point how much text there was before it. */
  const open: { readonly name: string; readonly isSilent: boolean; readonly mount: number | undefined }[] = [];
  const parser = new Parser({
    onopentag(name, { id = "", hidden, style = "", src, type = "" }) {
      if (name === "script" && (src !== undefined || !/json|template|importmap|speculationrules/.test(type))) scripts++;
      const isMount = mounts.has(id) || name.endsWith("-root") || name === "redoc";
      const isHidden = hidden !== undefined || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style);
      open.push({
        name,
        isSilent: (open.at(-1)?.isSilent ?? false) || silent.has(name) || isHidden,
        mount: isMount ? characters : undefined,
      });
      if (open.length > maxDepth) finish();
    },
    ontext(text) {
      if (open.at(-1)?.isSilent === true) return;
      const { length } = text.replace(/\s+/g, "");
      characters += length;
      const name = open.at(-1)?.name ?? "";
      hasHeading ||= length > 1 && headings.test(name);
      hasParagraph ||= length > 10 && paragraphs.has(name);
      if (characters >= fewBesideMount) finish();
    },
    onclosetag() {
      const closed = open.pop();
      if (closed?.mount !== undefined && characters - closed.mount < fewInMount) emptyMount = true;
    },
  });
  function finish(): void {
    isDone = true;
    parser.pause();
  }
  for (let at = 0; at < source.length && !isDone; at += chunk) parser.write(source.slice(at, at + chunk));
  if (isDone) return false;
  parser.end();
  return scripts > 0 && (emptyMount || (characters < fewCharacters && !(hasHeading && hasParagraph)));
}

const chunk = 16_384;
