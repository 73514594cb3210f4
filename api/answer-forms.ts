import type * as z from "zod";

import type { Answer, ContextRequest, Located } from "../domain/answering.ts";
import type { Unread } from "../domain/generation.ts";
import { kindOf } from "../domain/kinds/index.ts";
import { showLibrary } from "../domain/library.ts";
import { oneLine } from "../domain/one-line.ts";
import type { Passage } from "../domain/passage.ts";
import { estimateTokens } from "../domain/tokens.ts";
import { isSameVersion, matchVersions } from "../domain/version-match.ts";
import { fit } from "./fitting.ts";
import { notesOf } from "./notes.ts";
import { renderJson } from "./render.ts";
import { renderText } from "./render-text.ts";
import type { AddressOf } from "./render-text.ts";
import { rulesField, rulesText } from "./rules.ts";
import type { Rules } from "./rules.ts";
import type { contextSchema } from "./schemas/reading.ts";

/** The version that answers, for display: the default version of a package has its ref. */
export function shownVersion({ library, version, generation }: Located): string {
  return kindOf(library.source).namesVersion === true ? (generation.ref ?? version) : version;
}

/** The requested version, where it is a range or written differently; else null. */
export function choiceOf(located: Located): string | null {
  return located.asked === located.version || isSameVersion(located.asked, shownVersion(located))
    ? null
    : located.asked;
}

/** The sentence on the version that answers, where it is not the requested one. */
function answeringOf(located: Located): Told["answering"] {
  const { library, asked } = located;
  const version = shownVersion(located);
  const choice = choiceOf(located);
  const isNamed = kindOf(library.source).namesVersion === true;
  if (choice === null && !isNamed) return undefined;
  const shown = showLibrary(library.id, version);
  if (choice === null) return { version, sentence: `This is ${shown}.` };
  const fits = !isNamed || matchVersions(asked, [{ name: version, kind: "tag" }], library.id).length > 0;
  if (fits) return { version, sentence: `This is ${shown}, which "${choice}" stands for.` };
  const sentence = `This is ${shown}, the nearest version that is indexed: ${oneLine(choice)} is not.`;
  return { version, sentence, isNearest: true };
}

/** What both forms of an answer have. */
export interface Told {
  /** The version that answers, with a sentence; undefined: the requested one. */
  readonly answering: { readonly version: string; readonly sentence: string; readonly isNearest?: true } | undefined;
  readonly rules: Rules;
  /** The sentence before an introduction; "" for any other answer. */
  readonly introduced: string;
  /** What is missing, in sentences. */
  readonly notes: readonly string[];
}

/** The sentences of an answer. */
export function tell(located: Located, rules: Rules, asked: ContextRequest, answer: Answer, unread?: Unread): Told {
  const { library } = located;
  const shown = showLibrary(library.id, shownVersion(located));
  const { query, kind, language } = asked;
  const notes = notesOf({ ...answer, answering: shown, query, unread });
  const where = kind === undefined && language === undefined ? "" : " where kind and language are as asked for";
  const about = library.description === "" ? "" : ` ${library.title}: ${library.description}`;
  const advice = notes.length === 0 ? "; try other words" : "";
  const none = `${shown} has none of the words of this question${where}${advice}.`;
  const introduced = answer.isIntroduction ? oneLine(`${none}${about}`) : "";
  return {
    answering: answeringOf(located),
    rules,
    introduced,
    notes: introduced === "" ? notes : [none, ...notes],
  };
}

/** The JSON form, within the budget. */
export function renderAsJson(
  passages: readonly Passage[],
  tokens: number,
  { library }: Located,
  { answering, rules, introduced, notes }: Told,
): z.infer<typeof contextSchema> {
  const told = introduced === "" ? [] : [infoNote(library.title, introduced)];
  const said = [...(answering?.isNearest ? [answering.sentence] : []), ...notes];
  const besides = {
    ...rulesField(rules),
    ...(answering && { version: answering.version }),
    ...(said.length > 0 && { notes: said }),
  };
  return fit(passages, tokens, {
    render: (chosen) => {
      const { codeSnippets, infoSnippets } = renderJson(chosen);
      return { codeSnippets, infoSnippets: [...told, ...infoSnippets], ...besides };
    },
    sent: (body) => JSON.stringify(body),
    // An example that fits as text is kept as JSON, which takes slightly more space.
    needs: ({ type }) => type === "code",
  });
}

/** The text form, within the budget, and the passages in it. */
export function renderAsText(
  passages: readonly Passage[],
  tokens: number,
  { library }: Located,
  { answering, rules, introduced, notes }: Told,
): { readonly text: string; readonly shown: readonly Passage[] } {
  // The version for a range or `latest` is in the text, as a model does not see headers.
  const told = answering ? `${answering.sentence}\n\n` : "";
  const { address } = kindOf(library.source);
  const addressOf: AddressOf = ({ page }, lines) => address(library.source, page.url, { lines });
  const before = `${told}${rulesText(library.id, rules)}${introduced === "" ? "" : `${introduced}\n\n`}`;
  // The sentence of an introduction comes first.
  const behind = introduced === "" ? notes : notes.slice(1);
  const last = behind.length === 0 ? "" : `\n\n[${behind.join(" ")}]`;
  return fit(passages, tokens, {
    render: (shown) => {
      const text = `${`${before}${renderText(shown, addressOf)}`.trimEnd()}${last}`.trimStart();
      return { text, shown };
    },
    sent: ({ text }) => text,
  });
}

function infoNote(title: string, content: string): z.infer<typeof contextSchema>["infoSnippets"][0] {
  return { pageId: "", breadcrumb: title, content, contentTokens: estimateTokens(content) };
}
