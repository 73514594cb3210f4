import type * as z from "zod";
import type { Caller } from "../domain/access.ts";
import { answerQuestion, explainAnswer, locateLibrary } from "../domain/answering.ts";
import type { Answer, ContextRequest, ExplainedAnswer, Located } from "../domain/answering.ts";
import { showLibrary } from "../domain/library.ts";
import type { Passage } from "../domain/passage.ts";
import { seesDisk } from "../domain/authorizing.ts";
import type { Act } from "./auditing.ts";
import { entityTag } from "./caching.ts";
import type { ApiOptions } from "./options.ts";
import { withAbsoluteLinks, passageWithoutDisk } from "./served-addresses.ts";
import { withOnly, fit } from "./fitting.ts";
import { renderVersion, renderText } from "./render-text.ts";
import type { AddressOf } from "./render-text.ts";
import { createUnreadOf } from "./manifest-cache.ts";
import { createOwnRules, rulesOf, rulesField, rulesText } from "./rules.ts";
import type { Rules } from "./rules.ts";
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
  /** Do not ask the upstream. */
  readonly alone: boolean;
}

/** The answer of a library. */
export interface Reading {
  /** The library's uid; null: it is a library of the upstream. */
  readonly libraryUid: string | null;
  /** Heading of the best passage; null: nothing was found, or the caller has the answer. */
  readonly topic: string | null;
  /** Library and version that answer, such as `/acme/widgets/v2`. */
  readonly library: string;
  /** An entity tag of the answer. */
  readonly tag: string;
  /** In the requested form; null: the caller has the answer. */
  readonly body: string | z.infer<typeof contextSchema> | null;
}

/**
 * Answers a question from a library with what the caller may see, rules first, within the budget, and counts the read.
 * `isHeld` says whether the caller has the answer with a tag, which then needs no query.
 * @throws Failure, also while the library is being indexed (library_not_finalized) and after it moved
 */
export type Read = (
  caller: Caller,
  asked: ReadRequest,
  act: Pick<Act, "begin" | "failed">,
  isHeld?: (tag: string) => boolean,
) => Promise<Reading>;

/** The text form of an answer with its passages and their order. */
export interface ExplainedReading extends Pick<ExplainedAnswer, "isIntroduction" | "order"> {
  readonly located: Located;
  readonly text: string;
  /** The passages in the text, best first; one that exceeds the budget alone is shortened. */
  readonly shown: readonly Passage[];
  /** The best passages that are not in it. */
  readonly next: readonly Passage[];
}

/** Answers as `Read` does, in text form, and explains the order. It does not count as a read. @throws Failure as `Read` does */
export type Explain = (
  caller: Caller,
  asked: Omit<ReadRequest, "type" | "alone">,
  act: Pick<Act, "begin" | "failed">,
) => Promise<ExplainedReading>;

/** Maximum number of pages of a small manifest: a library whose formats are mostly not read has few. */
const fewPages = 500;

/** What the context routes and MCP read with. */
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
  const ownRules = createOwnRules(ports);
  const unreadOf = createUnreadOf(ports);
  const locate = (caller: Caller, libraryId: string, act: Pick<Act, "begin" | "failed">): Promise<Located> =>
    locateLibrary({ ...ports, indexVersion: recorded(ports.indexVersion, act) }, caller, libraryId);

  const read: Read = async (caller, { libraryId, type, alone: _alone, ...asked }, act, isHeld = () => false) => {
    const located = await locate(caller, libraryId, act);
    const { library, version } = located;
    const rules = await rulesOf(settings, ownRules, located);
    const tag = tagOf(caller, located, rules, type, asked);
    const isKnown = isHeld(tag);
    if (!isKnown) await turn(caller.keyId ?? "");
    const found = isKnown ? null : await answerQuestion(ports, located, asked);
    countRead(library.uid, version);
    // What is missing in the requested language or kind may exist in another.
    if (found?.isIntroduction === true && asked.kind === undefined && asked.language === undefined)
      noteMiss(library.uid, asked.query);
    const body = found && (await render(located, rules, type, asked, served(found, seesDisk(caller, library))));
    const topic = found === null || found.isIntroduction ? null : (found.passages[0]?.title ?? null);
    return { libraryUid: library.uid, topic, library: showLibrary(library.id, shownVersion(located)), tag, body };
  };

  const explain: Explain = async (caller, { libraryId, ...asked }, act) => {
    const located = await locate(caller, libraryId, act);
    const rules = await rulesOf(settings, ownRules, located);
    await turn(caller.keyId ?? "");
    const seen = seesDisk(caller, located.library);
    const answer = served(await explainAnswer(ports, located, asked), seen);
    const { next, isIntroduction, order } = answer;
    const told = await tellOf(located, rules, asked, answer);
    const { text, shown } = renderAsText(withOnly(answer.passages, asked.kind, "txt"), asked.tokens, located, told);
    const inText = new Set(shown.map(({ id }) => id));
    const others = answer.passages.filter(({ id }) => !inText.has(id));
    return { located, text, shown, next: [...others, ...servedPassages(next, seen)], isIntroduction, order };
  };
  return { read, explain };

  async function render(
    located: Located,
    rules: Rules,
    type: ReadRequest["type"],
    asked: ContextRequest,
    answer: Answer,
  ): Promise<NonNullable<Reading["body"]>> {
    const told = await tellOf(located, rules, asked, answer);
    const passages = withOnly(answer.passages, asked.kind, type);
    return type === "json"
      ? renderAsJson(passages, asked.tokens, located, told)
      : renderAsText(passages, asked.tokens, located, told).text;
  }

  async function tellOf(located: Located, rules: Rules, asked: ContextRequest, answer: Answer): Promise<Told> {
    const { id, counts } = located.generation;
    const isMissing = answer.isIntroduction || answer.missing.length > 0;
    // Large manifests are read only where something is missing.
    const unread = isMissing || counts.pages <= fewPages ? await unreadOf(id) : undefined;
    return tell(located, rules, asked, answer, unread);
  }

  /** An entity tag from everything that the answer depends on. */
  function tagOf(
    caller: Caller,
    located: Located,
    rules: Rules,
    type: ReadRequest["type"],
    { query, tokens, limit, kind, language }: ContextRequest,
  ): string {
    const { library, version, generation, access } = located;
    return entityTag([
      generation.id,
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

/** A request for a version that is not indexed is a submission. */
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

function served<Found extends Answer>(answer: Found, seen: boolean): Found {
  return { ...answer, passages: servedPassages(answer.passages, seen) };
}

/** Passages with or without paths of the disk, by the rights of the caller. */
function servedPassages(passages: readonly Passage[], seen: boolean): readonly Passage[] {
  return (seen ? passages : passages.map(passageWithoutDisk)).map(withAbsoluteLinks);
}

/** The version that answers, for display: the default version of a package has its ref. */
function shownVersion({ library, version, generation }: Located): string {
  return kindOf(library.source).namesVersion === true ? (generation.ref ?? version) : version;
}

/** The requested version, where it is a range or written differently; else null. */
function choiceOf(located: Located): string | null {
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
interface Told {
  /** The version that answers, with a sentence; undefined: the requested one. */
  readonly answering: { readonly version: string; readonly sentence: string; readonly isNearest?: true } | undefined;
  readonly rules: Rules;
  /** The sentence before an introduction; "" for any other answer. */
  readonly introduced: string;
  /** What is missing, in sentences. */
  readonly notes: readonly string[];
}

/** The sentences of an answer. */
function tell(located: Located, rules: Rules, asked: ContextRequest, answer: Answer, unread?: Unread): Told {
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
function renderAsJson(
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
function renderAsText(
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
