import type * as z from "zod";
import {
  answerQuestion,
  type Answer,
  type Answerer,
  type AnsweringPorts,
  type ComputingPorts,
  type ContextRequest,
  type RankedAnswer,
} from "../domain/answering.ts";
import type { Unread } from "../domain/generation.ts";
import { kindOf } from "../domain/kinds/index.ts";
import { closeFences } from "../domain/markdown.ts";
import { createPlaces, findOutline, type More, type Place } from "../domain/more.ts";
import { oneLine } from "../domain/one-line.ts";
import { asksForHeld } from "../domain/outline.ts";
import type { Passage } from "../domain/passage.ts";
import { estimateTokens } from "../domain/tokens.ts";
import { notesOf } from "./answer-notes.ts";
import type { Computation, Computed, Rules } from "./computation.ts";
import { fit, withOnly } from "./fitting.ts";
import { answeringOf, servedPassages, shownLibrary, type Answering } from "./located.ts";
import { heldSentence, moreText, titleOfPlace, withinShare } from "./render-more.ts";
import { renderText, separator, type AddressOf } from "./render-text.ts";
import { renderJson } from "./render.ts";
import { rulesField, rulesText } from "./rules.ts";
import type { contextSchema } from "./schemas/reading.ts";

/** Maximum number of pages of a small manifest: a library mostly in unread formats has few. */
const fewPages = 500;

/** What sentences beside an answer are made from. */
type FramingPorts = Pick<AnsweringPorts, "pages" | "ranker" | "restore"> & {
  /** What a generation has in formats that are not read; undefined: nothing. */
  readonly unreadOf: (generation: string) => Promise<Unread | undefined>;
};

/** Queries the index, ranks and renders: most of the processor time of a read. @throws Failure as `answerQuestion` */
export async function computeAnswer(
  ports: ComputingPorts & FramingPorts,
  { located, rules, type, question, showsDisk }: Computation,
): Promise<Computed> {
  const answer = served(await answerQuestion(ports, located, question), showsDisk);
  const frame = await frameOf(ports, located, rules, question, answer);
  const passages = withOnly(answer.passages, question.kind, type);
  const { isIntroduction } = answer;
  return {
    isIntroduction,
    topic: isIntroduction ? null : (answer.passages[0]?.title ?? null),
    body:
      type === "json"
        ? renderAsJson(passages, question.tokens, located, frame)
        : renderAsText(passages, question.tokens, located, frame).text,
  };
}

/** The sentences and rules of an answer. */
export async function frameOf(
  { unreadOf, ...ports }: FramingPorts,
  located: Answerer,
  rules: Rules,
  question: ContextRequest,
  answer: RankedAnswer,
): Promise<Frame> {
  const { library, generation } = located;
  const { query, kind, language } = question;
  const isMissing = answer.isIntroduction || answer.missing.length > 0;
  // Large manifests are read only if something is missing.
  const unread = isMissing || generation.counts.pages <= fewPages ? await unreadOf(generation.id) : undefined;
  const shown = shownLibrary(located);
  const outline = await findOutline(ports, located);
  const notes = notesOf({ ...answer, answering: shown, query, unread });
  const where = kind === undefined && language === undefined ? "" : " where kind and language are as asked for";
  const about = library.description === "" ? "" : ` ${library.title}: ${library.description}`;
  const advice = notes.length === 0 ? "; try other words" : "";
  const none = `${shown} has none of the words of this question${where}${advice}.`;
  const said = [...notes];
  if (outline === undefined) said.push("What else this library has cannot be named at the moment.");
  else if (asksForHeld(outline, query)) said.push("A section that the question names is held back by the screen.");
  const introduction = answer.isIntroduction ? oneLine(`${none}${about}`) : "";
  return {
    answering: answeringOf(located),
    rules,
    introduction,
    notes: introduction === "" ? said : [none, ...said],
    more: outline ? createPlaces(ports.ranker, outline, answer) : () => ({ places: [], held: [] }),
  };
}

/** An answer with its passages as they are served. */
export function served<A extends Answer>(answer: A, showsDisk: boolean): A {
  return { ...answer, passages: servedPassages(answer.passages, showsDisk) };
}

/** The parts of an answer around its passages, in both forms. */
export interface Frame {
  /** Undefined: the requested version answers. */
  readonly answering: Answering | undefined;
  readonly rules: Rules;
  /** The sentence before an introduction; "" for any other answer. */
  readonly introduction: string;
  /** Sentences on what is missing; of an introduction, the first repeats `introduction`. */
  readonly notes: readonly string[];
  /** What the library has beside passages that are shown, not shortened. */
  readonly more: (shown: readonly Passage[]) => More;
}

/** A place beside an answer in its JSON form. */
export type Listed = NonNullable<z.infer<typeof contextSchema>["more"]>[0];

/** The notes of an answer, and its `more`: places besides the passages that are shown whole. */
export function besideOf(
  shown: readonly Passage[],
  tokens: number,
  { answering, notes, more }: Frame,
): { notes: string[]; more: readonly Listed[] } {
  const { places, held } = more(shown);
  return {
    notes: [...(answering?.isNearest ? [answering.sentence] : []), ...notes, ...held.map(heldSentence)],
    more: withinShare(places, tokens, toMore, (place) => JSON.stringify(place)),
  };
}

/** The JSON form, within the budget. */
function renderAsJson(
  passages: readonly Passage[],
  tokens: number,
  located: Answerer,
  frame: Frame,
): z.infer<typeof contextSchema> {
  const { answering, rules, introduction } = frame;
  const introducing = introduction === "" ? [] : [infoNote(located.library.title, introduction)];
  const others = { ...rulesField(rules), ...(answering && { version: answering.version }) };
  const note = teamNoteWithin(located, tokens);
  return fit(passages, tokens, {
    render: (chosen) => {
      const { codeSnippets, infoSnippets } = renderJson(chosen);
      const { notes, more } = besideOf(
        chosen.filter((one) => passages.includes(one)),
        tokens,
        frame,
      );
      return {
        codeSnippets,
        infoSnippets: [...introducing, ...infoSnippets],
        ...others,
        ...(notes.length > 0 && { notes }),
        ...(more.length > 0 && { more }),
        ...(note !== "" && { teamNote: note }),
      };
    },
    sent: (body) => JSON.stringify(body),
    // JSON takes slightly more space than text: an example in the text form must be in this one too.
    needs: ({ type }) => type === "code",
  });
}

/** The text form, within the budget, and the passages in it. */
export function renderAsText(
  passages: readonly Passage[],
  tokens: number,
  located: Answerer,
  { answering, rules, introduction, notes, more }: Frame,
): { readonly text: string; readonly shown: readonly Passage[] } {
  const { library } = located;
  const note = teamNoteWithin(located, tokens);
  const noted = note === "" ? [] : [`${teamNoteTitle(library.id)}\n\n${closeFences(note)}`];
  // In the text, as a model does not see headers.
  const versionNote = answering ? `${answering.sentence}\n\n` : "";
  const { address } = kindOf(library.source);
  const addressOf: AddressOf = ({ page }, lines) => address(library.source, page.url, { lines });
  const before = `${versionNote}${rulesText(library.id, rules)}${introduction === "" ? "" : `${introduction}\n\n`}`;
  const lastNotes = introduction === "" ? notes : notes.slice(1);
  const last = lastNotes.length === 0 ? "" : `\n\n[${lastNotes.join(" ")}]`;
  return fit(passages, tokens, {
    render: (shown) => {
      const { places, held } = more(shown.filter((one) => passages.includes(one)));
      const beside = moreText(places, held, tokens);
      const answer = `${`${before}${renderText(shown, addressOf)}`.trimEnd()}${last}`.trimStart();
      const text = [answer, ...(beside === "" ? [] : [beside]), ...noted].join(separator);
      return { text, shown };
    },
    sent: ({ text }) => text,
  });
}

/** Largest share of a budget that a team note takes. */
const noteShare = 0.25;

/** The note of the caller's teamspace, or a sentence on one that is too long for the budget; "": none. */
function teamNoteWithin({ library, teamNote = "" }: Answerer, tokens: number): string {
  const size = estimateTokens(teamNote);
  if (size <= tokens * noteShare) return teamNote;
  const needed = Math.ceil(size / noteShare);
  return `Your team has a note on ${library.id} that is too long here. Ask with tokens=${needed} to get it.`;
}

function teamNoteTitle(id: string): string {
  return `Your team's note on ${id}, which is no part of its documentation:`;
}

function infoNote(title: string, content: string): z.infer<typeof contextSchema>["infoSnippets"][0] {
  return { pageId: "", breadcrumb: title, content, contentTokens: estimateTokens(content) };
}

function toMore(place: Place): Listed {
  const { name, page, section } = place;
  return {
    page: name,
    ...(section && { section: section.anchor }),
    title: titleOfPlace(place),
    tokens: (section ?? page).tokens,
  };
}
