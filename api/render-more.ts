import { moreShare, type More, type Place } from "../domain/more.ts";
import { oneLine } from "../domain/one-line.ts";
import { estimateTokens } from "../domain/tokens.ts";

/** Maximum length of a title in a line, in characters. */
const maxTitle = 80;

/** The sentence above the places. */
const introduction = "Not shown above; read-page (`lectern read`) reads each of these:";

/** The places that fit their share of a budget, in tokens; `sent` is what is sent of one. */
export function withinShare<T>(places: readonly T[], budget: number, sent: (place: T) => string): readonly T[] {
  let left = Math.floor(budget * moreShare) - estimateTokens(introduction) - 2;
  const end = places.findIndex((place) => (left -= estimateTokens(sent(place)) + 1) < 0);
  return end < 0 ? places : places.slice(0, end);
}

/** The end of an answer in text form: a line for each place that fits, and one for each page of which something is held back. */
export function moreText(places: readonly Place[], held: More["held"], budget: number): string {
  const lines = withinShare(places.map(lineOf), budget, (line) => line);
  const holding = held.map((page) => heldSentence(page.held, page.page));
  return [...(lines.length === 0 ? [] : [introduction, ...lines]), ...holding].join("\n");
}

/** The sentence on passages that the screen holds back. */
export function heldSentence(held: number, page: string): string {
  return `${held} ${held === 1 ? "passage" : "passages"} of ${oneLine(page)} ${held === 1 ? "is" : "are"} held back by the screen.`;
}

/** The address of a place, by which it can be read. */
export function addressOfPlace({ page, section }: Place): string {
  return section === undefined ? page.page : `${page.page}#${section.anchor}`;
}

/** The title of a place: that of its page, and the heading of its section. */
export function titleOfPlace({ page, section }: Place): string {
  const heading = section?.heading ?? page.sections[0]?.heading ?? "";
  const shown = section !== undefined ? heading : isOperation(page.page) ? `${page.title}: ${heading}` : page.title;
  return oneLine(shown).slice(0, maxTitle);
}

/** Whether a page is an operation of an API description, whose title is its method and path. */
function isOperation(page: string): boolean {
  return /#\/(?:paths|webhooks|x-webhooks)\//.test(page);
}

function lineOf(place: Place): string {
  const address = oneLine(addressOfPlace(place));
  const title = titleOfPlace(place);
  const { tokens } = place.section ?? place.page;
  // An anchor is made of the heading, so most say the same.
  const says = lettersOf(address).endsWith(lettersOf(title).replace(/\d+$/, ""));
  return `- ${address}${says ? "" : ` ${title}`} (${tokens})`;
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, "").toLowerCase();
}
