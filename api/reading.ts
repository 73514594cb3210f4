import type * as z from "zod";
import type { Caller } from "../domain/access.ts";
import {
  answerQuestion,
  explainAnswer,
  type Answer,
  type ContextRequest,
  type ExplainedAnswer,
  type Located,
  type RankedAnswer,
} from "../domain/answering.ts";
import { findOutline, createPlaces, type More, type Place } from "../domain/more.ts";
import type { Passage } from "../domain/passage.ts";
import { seesDisk } from "../domain/authorizing.ts";
import { entityTag } from "./caching.ts";
import type { ApiOptions } from "./options.ts";
import { withOnly, fit } from "./fitting.ts";
import {
  answeringOf,
  choiceOf,
  locate,
  servedPassages,
  shownLibrary,
  type Answering,
  type ReadAct,
} from "./located.ts";
import { heldSentence, moreText, titleOfPlace, withinShare } from "./render-more.ts";
import { renderVersion, renderText, separator, type AddressOf } from "./render-text.ts";
import { cachedFromManifest } from "./manifest-cache.ts";
import { rulesOf, rulesField, rulesText, type Rules } from "./rules.ts";
import type { contextSchema } from "./schemas/reading.ts";
import type { Unread } from "../domain/generation.ts";
import { kindOf } from "../domain/kinds/index.ts";
import { asksForHeld } from "../domain/outline.ts";
import { oneLine } from "../domain/one-line.ts";
import { closeFences } from "../domain/markdown.ts";
import { estimateTokens } from "../domain/tokens.ts";
import { notesOf } from "./answer-notes.ts";
import { renderJson } from "./render.ts";

/** A question to a library, and the form of its answer. */
export interface ReadRequest extends ContextRequest {
  /** A library ID, with or without a version. */
  readonly libraryId: string;
  readonly type: "txt" | "json";
  /** The upstream must not be asked. */
  readonly localOnly: boolean;
}

/** The answer of a library. */
export interface Reading {
  /** The library's uid; null: it is a library of the upstream. */
  readonly libraryUid: string | null;
  /** Heading of the best passage; null: nothing was found, or the caller has cached the answer. */
  readonly topic: string | null;
  /** Library and version that answer, such as `/acme/widgets/v2`. */
  readonly library: string;
  /** An entity tag of the answer. */
  readonly tag: string;
  /** The answer in the requested form; null: the caller has cached it. */
  readonly body: string | z.infer<typeof contextSchema> | null;
}

/**
 * Answers a question from a library within the budget, rules first, and counts the read. `isCached` returns whether the caller has
 * cached the answer with a tag, which saves the query.
 * @throws Failure, also while the library is being indexed (library_not_finalized) and after it moved
 */
export type Read = (
  caller: Caller,
  question: ReadRequest,
  act: ReadAct,
  isCached?: (tag: string) => boolean,
) => Promise<Reading>;

/** The text form of an answer with its passages and their order. */
export interface ExplainedReading extends Pick<ExplainedAnswer, "isIntroduction" | "order"> {
  readonly located: Located;
  readonly text: string;
  /** The passages in the text, best first; one that exceeds the budget alone is shortened. */
  readonly shown: readonly Passage[];
  /** The best passages that are not in the text. */
  readonly next: readonly Passage[];
  /** As in the JSON form. */
  readonly notes: readonly string[];
  readonly more: readonly Listed[];
}

/** Answers as `Read` does, in text form, and explains the order. It does not count as a read. @throws Failure as `Read` does */
export type Explain = (
  caller: Caller,
  question: Omit<ReadRequest, "type" | "localOnly">,
  act: ReadAct,
) => Promise<ExplainedReading>;

/** Maximum number of pages of a small manifest: a library mostly in unread formats has few. */
const fewPages = 500;

/** Creates the functions that answer questions. */
export function createReading({
  ports,
  settings,
  countRead,
  noteMiss,
  turn,
}: Pick<ApiOptions, "ports" | "settings" | "countRead" | "noteMiss"> & {
  /** Resolves at the caller's turn to compute an answer. */
  readonly turn: (client: string) => Promise<void>;
}): { readonly read: Read; readonly explain: Explain } {
  const ownRules = cachedFromManifest(ports, ({ settings: own }) => own?.rules ?? [], []);
  const unreadOf = cachedFromManifest<Unread | undefined>(ports, ({ unread }) => unread, undefined);

  const read: Read = async (
    caller,
    { libraryId, type, localOnly: _localOnly, ...question },
    act,
    isCached = () => false,
  ) => {
    const located = await locate(ports, caller, libraryId, act);
    const { library, version } = located;
    const rules = await rulesOf(settings, ownRules, located);
    const tag = await tagOf(caller, located, rules, type, question);
    const isKnown = isCached(tag);
    if (!isKnown) await turn(caller.keyId ?? "");
    const answer = isKnown ? null : await answerQuestion(ports, located, question);
    countRead(library.uid, version);
    // A passage in another language or of another kind may have the words.
    if (answer?.isIntroduction === true && question.kind === undefined && question.language === undefined)
      noteMiss(library.uid, question.query);
    const body = answer && (await render(located, rules, type, question, served(answer, seesDisk(caller, library))));
    const topic = answer === null || answer.isIntroduction ? null : (answer.passages[0]?.title ?? null);
    return { libraryUid: library.uid, topic, library: shownLibrary(located), tag, body };
  };

  const explain: Explain = async (caller, { libraryId, ...question }, act) => {
    const located = await locate(ports, caller, libraryId, act);
    const rules = await rulesOf(settings, ownRules, located);
    await turn(caller.keyId ?? "");
    const showsDisk = seesDisk(caller, located.library);
    const answer = served(await explainAnswer(ports, located, question), showsDisk);
    const { next, isIntroduction, order } = answer;
    const frame = await frameOf(located, rules, question, answer);
    const passages = withOnly(answer.passages, question.kind, "txt");
    const { text, shown } = renderAsText(passages, question.tokens, located, frame);
    const shownIds = new Set(shown.map(({ id }) => id));
    const others = answer.passages.filter(({ id }) => !shownIds.has(id));
    return {
      located,
      text,
      shown,
      next: [...others, ...servedPassages(next, showsDisk)],
      ...besideOf(
        shown.filter((one) => passages.includes(one)),
        question.tokens,
        frame,
      ),
      isIntroduction,
      order,
    };
  };
  return { read, explain };

  async function render(
    located: Located,
    rules: Rules,
    type: ReadRequest["type"],
    question: ContextRequest,
    answer: RankedAnswer,
  ): Promise<NonNullable<Reading["body"]>> {
    const frame = await frameOf(located, rules, question, answer);
    const passages = withOnly(answer.passages, question.kind, type);
    return type === "json"
      ? renderAsJson(passages, question.tokens, located, frame)
      : renderAsText(passages, question.tokens, located, frame).text;
  }

  /** The sentences and rules of an answer. */
  async function frameOf(
    located: Located,
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

  /** An entity tag from everything that the answer depends on. */
  async function tagOf(
    caller: Caller,
    located: Located,
    rules: Rules,
    type: ReadRequest["type"],
    { query, tokens, limit, kind, language }: ContextRequest,
  ): Promise<string> {
    const { library, version, generation, access } = located;
    return entityTag([
      generation.id,
      ports.embedder && (await ports.passages.model(generation.id)) === ports.embedder.model && ports.embedder.model,
      access.revision,
      ports.ranker.version,
      renderVersion,
      caller.libraries,
      seesDisk(caller, library),
      library.id,
      library.title,
      located.teamNote,
      rules,
      version,
      choiceOf(located),
      type,
      { query, tokens, limit, kind, language },
    ]);
  }
}

function served<A extends Answer>(answer: A, showsDisk: boolean): A {
  return { ...answer, passages: servedPassages(answer.passages, showsDisk) };
}

/** The parts of an answer around its passages, in both forms. */
interface Frame {
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
type Listed = NonNullable<z.infer<typeof contextSchema>["more"]>[0];

/** The notes of an answer, and its `more`: places besides the passages that are shown whole. */
function besideOf(
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
  located: Located,
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
function renderAsText(
  passages: readonly Passage[],
  tokens: number,
  located: Located,
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
function teamNoteWithin({ library, teamNote = "" }: Located, tokens: number): string {
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
