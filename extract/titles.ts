import type { CodeGroup } from "./code-group.ts";
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
    const details = groups.length < 2 ? [] : detailsOf(group);
    const wanted = (details.length === 0 ? [""] : details).map((detail) =>
      detail === "" ? shown : shown === "" ? detail : `${heading}: ${detail}`,
    );
    const title = wanted.find((one) => !taken.has(one)) ?? `${wanted[0] ?? shown} (${index + 1})`;
    taken.add(title);
    return title;
  });
}

/** What may be said of a group, the most telling first. */
function detailsOf({ own, description, label, codes }: CodeGroup): string[] {
  const [first] = codes;
  const phrase = own ? phraseOf(description) : "";
  const named = sayingNothing.test(label) ? "" : cutAtWord(label, 60);
  return [phrase, named, first?.file ?? "", commentOf(first?.code ?? "")].filter((detail) => detail !== "");
}

/** What a comment on the first line says; "" for one that is an order to a tool. */
function commentOf(code: string): string {
  const line = code.slice(0, 120).split("\n", 1)[0] ?? "";
  const said = /^\s*(?:\/\/|#|--|<!--|\/\*\*?)\s+([\p{L}"'`].{2,80}?)\s*(?:-->|\*\/)?$/u.exec(line)?.[1] ?? "";
  return /^(?:eslint|prettier|ts-|@|biome|deno-|noinspection|pragma)|[{};=]$/i.test(said)
    ? ""
    : cutAtClause(said.replace(/(?<![\s:.…])[\s:.…]+$/, ""), 60);
}

const sayingNothing =
  /^(?:(?:see )?(?:for )?(?:an? )?example|here(?:'s|’s| is| are) .{0,30}example.*|e\.g|output|usage|note|or|and|result|then)$/i;

/** What the lead-in says the code does: "To install it, run:" as "install it". */
function phraseOf(description: string): string {
  const sentences = toSentences(description);
  // What ends in a colon leads to the code; else the first sentence says what the paragraph is about.
  const ordered = description.endsWith(":") ? sentences.toReversed() : sentences;
  const sentence = ordered
    .map((text) => text.replace(/(?<![\s:.!…])[\s:.!…]+$/, ""))
    .find((text) => !sayingNothing.test(text));
  if (sentence === undefined) return "";
  const said = sentence.replace(filler, "");
  const purpose = /^(?:in order )?to ([^,]{3,60}),/i.exec(said)?.[1];
  if (purpose !== undefined) return purpose;
  const main = said.length > 60 ? said.replace(leading, "") : said;
  return cutAtClause(/^you can (?:also )?(.{3,})$/i.exec(main)?.[1] ?? main, 60);
}

/** What stands before the main clause. */
const leading =
  /^(?:if|when|whenever|while|as|because|since|like|unlike|after|before|once|in|inside|with|within|by|for|from|given|although|unless|instead|without|on|at|due|depending|besides|thus|here) [^,]{2,150}, (?=.{20})/i;

/** Words that link a sentence to the one before it. */
const filler =
  /^(?:for (?:example|instance)|in (?:this|that|the following) (?:case|example)|then|next|also|however|instead(?! of)|similarly|alternatively|additionally|finally|lastly|note that),? (?=.{12})/i;

const clauseEnd = /[,;:](?=\s)|\s(?=[-–—(]|(?:which|because|so that|where|while)\b)/g;

/** As much of a sentence as fits: to the end of a clause where there is one, else cut at a word. */
function cutAtClause(sentence: string, length: number): string {
  if (sentence.length <= length) return sentence;
  const end = [...sentence.slice(0, length + 1).matchAll(clauseEnd)].at(-1)?.index ?? 0;
  const head = sentence.slice(0, end).replace(/(?<![\s,;:–—-])[\s,;:–—-]+$/, "");
  const isOpen = head.includes("(", head.lastIndexOf(")") + 1) || (head.match(/[`"]/g)?.length ?? 0) % 2 === 1;
  return end >= 25 && !isOpen ? head : cutAtWord(sentence, length);
}
