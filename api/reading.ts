import type * as z from "zod";
import type { Caller } from "../domain/access.ts";
import {
  answerQuestion,
  explainAnswer,
  locateLibrary,
  type Answer,
  type ContextRequest,
  type ExplainedAnswer,
  type Located,
} from "../domain/answering.ts";
import { showLibrary } from "../domain/library.ts";
import type { Passage } from "../domain/passage.ts";
import { seesDisk } from "../domain/authorizing.ts";
import type { Act } from "./auditing.ts";
import { entityTag } from "./caching.ts";
import type { ApiOptions } from "./options.ts";
import { withAbsoluteLinks, passageWithoutDisk } from "./served-addresses.ts";
import { withOnly, fit } from "./fitting.ts";
import { renderVersion, renderText, type AddressOf } from "./render-text.ts";
import { cachedFromManifest } from "./manifest-cache.ts";
import { rulesOf, rulesField, rulesText, type Rules } from "./rules.ts";
import type { contextSchema } from "./schemas/reading.ts";
import type { Unread } from "../domain/generation.ts";
import { kindOf } from "../domain/kinds/index.ts";
import { oneLine } from "../domain/one-line.ts";
import { estimateTokens } from "../domain/tokens.ts";
import { isSameVersion, matchVersions } from "../domain/version-match.ts";
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
  act: Pick<Act, "begin" | "failed">,
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
}

/** Answers as `Read` does, in text form, and explains the order. It does not count as a read. @throws Failure as `Read` does */
export type Explain = (
  caller: Caller,
  question: Omit<ReadRequest, "type" | "localOnly">,
  act: Pick<Act, "begin" | "failed">,
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
  const locate = (caller: Caller, libraryId: string, act: Pick<Act, "begin" | "failed">): Promise<Located> =>
    locateLibrary({ ...ports, indexVersion: recorded(ports.indexVersion, act) }, caller, libraryId);

  const read: Read = async (
    caller,
    { libraryId, type, localOnly: _localOnly, ...question },
    act,
    isCached = () => false,
  ) => {
    const located = await locate(caller, libraryId, act);
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
    return { libraryUid: library.uid, topic, library: showLibrary(library.id, shownVersion(located)), tag, body };
  };

  const explain: Explain = async (caller, { libraryId, ...question }, act) => {
    const located = await locate(caller, libraryId, act);
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
    return { located, text, shown, next: [...others, ...servedPassages(next, showsDisk)], isIntroduction, order };
  };
  return { read, explain };

  async function render(
    located: Located,
    rules: Rules,
    type: ReadRequest["type"],
    question: ContextRequest,
    answer: Answer,
  ): Promise<NonNullable<Reading["body"]>> {
    const frame = await frameOf(located, rules, question, answer);
    const passages = withOnly(answer.passages, question.kind, type);
    return type === "json"
      ? renderAsJson(passages, question.tokens, located, frame)
      : renderAsText(passages, question.tokens, located, frame).text;
  }

  /** The sentences and rules of an answer. */
  async function frameOf(located: Located, rules: Rules, question: ContextRequest, answer: Answer): Promise<Frame> {
    const { library, generation } = located;
    const { query, kind, language } = question;
    const isMissing = answer.isIntroduction || answer.missing.length > 0;
    // Large manifests are read only if something is missing.
    const unread = isMissing || generation.counts.pages <= fewPages ? await unreadOf(generation.id) : undefined;
    const shown = showLibrary(library.id, shownVersion(located));
    const notes = notesOf({ ...answer, answering: shown, query, unread });
    const where = kind === undefined && language === undefined ? "" : " where kind and language are as asked for";
    const about = library.description === "" ? "" : ` ${library.title}: ${library.description}`;
    const advice = notes.length === 0 ? "; try other words" : "";
    const none = `${shown} has none of the words of this question${where}${advice}.`;
    const introduction = answer.isIntroduction ? oneLine(`${none}${about}`) : "";
    return {
      answering: answeringOf(located),
      rules,
      introduction,
      notes: introduction === "" ? notes : [none, ...notes],
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
      rules,
      version,
      choiceOf(located),
      type,
      { query, tokens, limit, kind, language },
    ]);
  }
}

/** Records the indexing of a requested version in the audit log, as it is a submission. */
function recorded(
  indexVersion: ApiOptions["ports"]["indexVersion"],
  act: Pick<Act, "begin" | "failed">,
): ApiOptions["ports"]["indexVersion"] {
  return async (library, ref) => {
    await act.begin("version.index", [{ libraryName: showLibrary(library.id, ref.name) }]);
    try {
      await indexVersion(library, ref);
    } catch (error) {
      act.failed(error);
      throw error;
    }
  };
}

function served<A extends Answer>(answer: A, showsDisk: boolean): A {
  return { ...answer, passages: servedPassages(answer.passages, showsDisk) };
}

/** Passages with absolute links, and with paths of the server's disk if the caller may see them. */
function servedPassages(passages: readonly Passage[], showsDisk: boolean): readonly Passage[] {
  return (showsDisk ? passages : passages.map(passageWithoutDisk)).map(withAbsoluteLinks);
}

/** The version that answers, for display: the default version of a package has its ref. */
function shownVersion({ library, version, generation }: Located): string {
  return kindOf(library.source).namesVersion === true ? (generation.ref ?? version) : version;
}

/** The requested version, if it is a range or written differently; else null. */
function choiceOf(located: Located): string | null {
  return located.asked === located.version || isSameVersion(located.asked, shownVersion(located))
    ? null
    : located.asked;
}

/** The sentence on the version that answers, if it is not the requested one. */
function answeringOf(located: Located): Frame["answering"] {
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

/** The parts of an answer around its passages, in both forms. */
interface Frame {
  /** The version that answers, with a sentence; undefined: the requested one. */
  readonly answering: { readonly version: string; readonly sentence: string; readonly isNearest?: true } | undefined;
  readonly rules: Rules;
  /** The sentence before an introduction; "" for any other answer. */
  readonly introduction: string;
  /** Sentences on what is missing; of an introduction, the first repeats `introduction`. */
  readonly notes: readonly string[];
}

/** The JSON form, within the budget. */
function renderAsJson(
  passages: readonly Passage[],
  tokens: number,
  { library }: Located,
  { answering, rules, introduction, notes }: Frame,
): z.infer<typeof contextSchema> {
  const introducing = introduction === "" ? [] : [infoNote(library.title, introduction)];
  const allNotes = [...(answering?.isNearest ? [answering.sentence] : []), ...notes];
  const others = {
    ...rulesField(rules),
    ...(answering && { version: answering.version }),
    ...(allNotes.length > 0 && { notes: allNotes }),
  };
  return fit(passages, tokens, {
    render: (chosen) => {
      const { codeSnippets, infoSnippets } = renderJson(chosen);
      return { codeSnippets, infoSnippets: [...introducing, ...infoSnippets], ...others };
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
  { library }: Located,
  { answering, rules, introduction, notes }: Frame,
): { readonly text: string; readonly shown: readonly Passage[] } {
  // In the text, as a model does not see headers.
  const versionNote = answering ? `${answering.sentence}\n\n` : "";
  const { address } = kindOf(library.source);
  const addressOf: AddressOf = ({ page }, lines) => address(library.source, page.url, { lines });
  const before = `${versionNote}${rulesText(library.id, rules)}${introduction === "" ? "" : `${introduction}\n\n`}`;
  const lastNotes = introduction === "" ? notes : notes.slice(1);
  const last = lastNotes.length === 0 ? "" : `\n\n[${lastNotes.join(" ")}]`;
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
