import type { CodeGroup } from "./code-snippets.ts";
import { cutAtWord, toSentences } from "./sentences.ts";

/** Headings that say nothing of what the code under them does. */
const general =
  /^(?:(?:basic |quick |simple |advanced |more |full |complete )?(?:usages?|examples?)|(?:example|sample) (?:usage|code)|how to use|installation|install(?:ing)?|set-?up|getting started|quick ?start|syntax|signature|imports?|configuration|configure|config|default|output|result|code|demo|overview|introduction|description|options|(?:type )?parameters|props|returns?|fail|pass|correct|incorrect)$/i;

/**
 * Titles of the code under one heading: the heading, with what each block does where there are several or the heading
 * alone does not tell, and with the heading above where that is needed to know what it is about.
 */
export function titlesOf(breadcrumb: readonly string[], groups: readonly CodeGroup[]): string[] {
  const heading = breadcrumb.at(-1) ?? "";
  const above = breadcrumb.at(-2) ?? "";
  const shown = general.test(heading) && above !== "" && !above.includes(heading) ? `${above}: ${heading}` : heading;
  const taken = new Set<string>();
  return groups.map((group, index) => {
    const detail = groups.length < 2 ? "" : detailOf(group);
    const wanted = detail === "" ? shown : shown === "" ? detail : `${heading}: ${detail}`;
    const title = taken.has(wanted) ? `${wanted} (${index + 1})` : wanted;
    taken.add(title);
    return title;
  });
}

function detailOf({ own, description, label, codes }: CodeGroup): string {
  const phrase = own ? phraseOf(description) : "";
  const named = sayingNothing.test(label) ? "" : cutAtWord(label, 60);
  return phrase || named || (codes[0]?.file ?? "");
}

const sayingNothing =
  /^(?:(?:see )?(?:for )?(?:an? )?example|here(?:'s|’s| is| are) .{0,30}example.*|e\.g|output|usage|note|or|and|result|then)$/i;

/** What the lead-in says the code does: "To install it, run:" as "install it". */
function phraseOf(description: string): string {
  const sentences = toSentences(description);
  // What ends in a colon leads to the code; else the first sentence says what the paragraph is about.
  const ordered = description.endsWith(":") ? sentences.toReversed() : sentences;
  const sentence = ordered.map((text) => text.replace(/[\s:.!…]+$/, "")).find((text) => !sayingNothing.test(text));
  if (sentence === undefined) return "";
  const purpose = /^(?:in order )?to ([^,]{3,60}),/i.exec(sentence) ?? /^you can (?:also )?(.{3,})$/i.exec(sentence);
  return cutAtWord(purpose?.[1] ?? sentence, 60);
}
