import { oneLine } from "../domain/one-line.ts";
import { quantity } from "../domain/quantity.ts";
import type { PageList } from "./answer-types.ts";

/** Maximum number of headings with the word that are listed of a page. */
const maxHeadings = 20;

/** The sections of a page whose headings have a word, at most twenty; none for an empty word. */
export function sectionsWith(
  { sections }: Pick<PageList["pages"][0], "sections">,
  word: string,
): PageList["pages"][0]["sections"] {
  const wanted = word.toLowerCase();
  return wanted === ""
    ? []
    : sections.filter(({ title }) => title.toLowerCase().includes(wanted)).slice(0, maxHeadings);
}

/** A list of pages as lines for agents and people: each page by its shortest name, with its headings that have the word. */
export function showPages({ library, pages, total, heldBack, next }: PageList, word = ""): string {
  const lines = pages.flatMap(({ name, title, tokens, sections }) => [
    `- ${oneLine(name)} ${oneLine(title)} (${quantity(tokens, "token")})`,
    ...sectionsWith({ sections }, word).map(({ section, title: heading }) => `  - #${section} ${oneLine(heading)}`),
  ]);
  const what = `${library} has ${quantity(total, "page")}${word === "" ? "" : ` with "${oneLine(word)}"`}`;
  const shown = pages.length < total ? `, ${pages.length} of them here` : "";
  return [
    `${what}${shown}${lines.length === 0 ? "." : ":"}`,
    ...lines,
    ...(heldBack > 0 ? [`${quantity(heldBack, "passage")} held back by the screen.`] : []),
    ...(next === null ? [] : [`More with cursor ${next}`]),
  ].join("\n");
}
