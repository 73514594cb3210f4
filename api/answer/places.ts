import type * as z from "zod";
import { moreShare } from "../../domain/choosing.ts";
import type { More, Place } from "../../domain/more.ts";
import { oneLine } from "../../domain/one-line.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import type { contextSchema } from "../schemas/reading.ts";

type Listed = NonNullable<z.infer<typeof contextSchema>["more"]>;

/** Maximum length of a title in a line, in characters. */
const maxTitle = 60;

/** Number of tokens from which a line says the size of its place. */
const large = 2000;

/** The sentence above the places. */
const introduction = "Not shown above, or in part; read-page (`lectern read`) reads each of these:";

/** The first places that fit their share of a budget, in tokens, as `shown`, of which `sent` is sent. */
function withinShare<T>(
  places: More["places"],
  budget: number,
  shown: (place: Place) => T,
  sent: (one: T) => string,
): readonly T[] {
  let left = Math.floor(budget * moreShare) - estimateTokens(introduction) - 2;
  const fitting: T[] = [];
  for (const place of places) {
    const one = shown(place);
    left -= estimateTokens(sent(one)) + 1;
    if (left < 0) break;
    fitting.push(one);
  }
  return fitting;
}

/** The end of an answer in text form: a line for each place that fits, and one for each page of which something is held back. */
export function moreText({ places, held }: More, budget: number): string {
  const lines = withinShare(places, budget, lineOf, (line) => line);
  return [...(lines.length === 0 ? [] : [introduction, ...lines]), ...held].join("\n");
}

/** The places that fit, in JSON form. */
export function listedPlaces(places: More["places"], budget: number): Listed {
  const listed = (place: Place): Listed[0] => ({
    page: place.name,
    ...(place.section && { section: place.section.anchor }),
    title: titleOfPlace(place),
    tokens: (place.section ?? place.page).tokens,
  });
  return withinShare(places, budget, listed, (place) => JSON.stringify(place));
}

/** The title of a place: that of its page, and the heading of its section; of an operation what it does. */
function titleOfPlace({ name, page, section }: Place): string {
  const operation = page.sections.findIndex(({ heading }) => heading === name);
  const title = operation >= 0 ? (page.sections[operation + 1]?.heading ?? "") : titleOfPart(page);
  const shown = oneLine(section?.heading ?? title).slice(0, maxTitle);
  // No half of a character.
  return shown.replace(/[\uD800-\uDBFF]$/, "");
}

/** The title of a page; of a part of an API description, all of which have the API's, its last heading before its sections. */
function titleOfPart({ page, title, sections }: Place["page"]): string {
  const part = /#\/(?:(webhooks|x-webhooks)|tags|components|definitions)\//.exec(page);
  if (part === null) return title;
  return sections[part[1] === undefined ? 0 : 1]?.heading ?? sections[0]?.heading ?? title;
}

function lineOf(place: Place): string {
  const { name, page, section } = place;
  const address = oneLine(section === undefined ? name : `${name}#${section.anchor}`);
  const title = titleOfPlace(place);
  // An anchor is made of the heading, so most say the same.
  const says = lettersOf(address.replace(/\.[a-z\d]{1,8}$/i, "")).endsWith(lettersOf(title));
  const { tokens } = section ?? page;
  const size = tokens < large ? "" : ` (${Math.round(tokens / 1000)}k tokens)`;
  return `- ${address}${says ? "" : `: ${title}`}${size}`;
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, "").toLowerCase();
}
