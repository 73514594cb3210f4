import type * as z from "zod";

import type { Caller } from "../domain/access.ts";
import { answerQuestion, explainAnswer, locateLibrary } from "../domain/answering.ts";
import type { Answer, ContextRequest, ExplainedAnswer, Located } from "../domain/answering.ts";
import { showLibrary } from "../domain/library.ts";
import type { Passage } from "../domain/passage.ts";
import { seesDisk } from "../domain/places.ts";
import { choiceOf, renderAsJson, renderAsText, shownVersion, tell } from "./answer-forms.ts";
import type { Told } from "./answer-forms.ts";
import type { Act } from "./auditing.ts";
import { entityTag } from "./caching.ts";
import type { ApiOptions } from "./options.ts";
import { withLinks } from "./links.ts";
import { ofKind } from "./of-kind.ts";
import { passageWithoutDisk } from "./places.ts";
import { renderVersion } from "./render-text.ts";
import { createUnreadOf } from "./library-notes.ts";
import { createOwnRules, rulesOf } from "./rules.ts";
import type { Rules } from "./rules.ts";
import type { contextSchema } from "./schemas/reading.ts";

/** A question to one library, and the form of the answer. */
export interface ReadRequest extends ContextRequest {
  /** A library ID, with or without a version. */
  readonly libraryId: string;
  readonly type: "txt" | "json";
  /** The upstream is not asked, even for a caller who may ask it. */
  readonly alone: boolean;
}

/** The answer of a library to a question. */
export interface Reading {
  /** The library's uid in the catalog; null if it is the upstream's. */
  readonly libraryUid: string | null;
  /** Title of the best passage; null if nothing was found, or nothing was looked for. */
  readonly topic: string | null;
  /** The library and version that answer, such as `/acme/widgets/v2`. */
  readonly library: string;
  /** The entity tag: it changes whenever the answer may. */
  readonly tag: string;
  /** The answer in the form that was asked for; null if the asker holds it already. */
  readonly body: string | z.infer<typeof contextSchema> | null;
}

/**
 * Answers a question from one library with what the caller may see, rules first, within the budget, and counts the read.
 * `isHeld`: whether the asker holds the answer with a tag; then no index is asked.
 * @throws Failure, also while the library is being indexed (library_not_finalized) and if it has another ID now
 */
export type Read = (
  caller: Caller,
  asked: ReadRequest,
  act: Pick<Act, "begin" | "failed">,
  isHeld?: (tag: string) => boolean,
) => Promise<Reading>;

/** The text form of an answer, its passages, and what their order is made of. */
export interface ExplainedReading extends Pick<ExplainedAnswer, "isIntroduction" | "order"> {
  readonly located: Located;
  readonly text: string;
  /** The passages in the text, the best first. A single one that is too long for the budget is shortened. */
  readonly shown: readonly Passage[];
  /** The best passages that are not in the text. */
  readonly next: readonly Passage[];
}

/** Answers as `Read` does, in text form, and explains the order. It does not count as a read. @throws Failure as that does */
export type Explain = (
  caller: Caller,
  asked: Omit<ReadRequest, "type" | "alone">,
  act: Pick<Act, "begin" | "failed">,
) => Promise<ExplainedReading>;

/** Maximum number of pages of a small manifest. A library of which most could not be read has few pages. */
const fewPages = 500;

/** Creates what HTTP, MCP and every other surface answer questions with. */
export function createReading({
  ports,
  settings,
  countRead,
  noteMiss,
  turn,
}: Pick<ApiOptions, "ports" | "settings" | "countRead" | "noteMiss"> & {
  /** Resolves when it is the client's turn to have the processor for an answer. */
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
    // With a filter it is not known that the library misses the subject: it may have it in another language or kind.
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
    const { text, shown } = renderAsText(ofKind(answer.passages, asked.kind, "txt"), asked.tokens, located, told);
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
    const passages = ofKind(answer.passages, asked.kind, type);
    return type === "json"
      ? renderAsJson(passages, asked.tokens, located, told)
      : renderAsText(passages, asked.tokens, located, told).text;
  }

  async function tellOf(located: Located, rules: Rules, asked: ContextRequest, answer: Answer): Promise<Told> {
    const { id, counts } = located.generation;
    const isMissing = answer.isIntroduction || answer.missing.length > 0;
    // Manifests of many pages are large, and read only if something is missing.
    const unread = isMissing || counts.pages <= fewPages ? await unreadOf(id) : undefined;
    return tell(located, rules, asked, answer, unread);
  }

  /** The entity tag of everything that the answer depends on. */
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

/** Asking for a version that is not indexed is a submission, and recorded as one. */
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

/** Passages as a caller gets them who may see paths of the server's disk, or may not. */
function servedPassages(passages: readonly Passage[], seen: boolean): readonly Passage[] {
  return (seen ? passages : passages.map(passageWithoutDisk)).map(withLinks);
}
