import type * as z from "zod";
import type { Caller } from "../domain/access.ts";
import {
  explainAnswer,
  orReload,
  type Answerer,
  type ContextRequest,
  type ExplainedAnswer,
  type Located,
} from "../domain/answering.ts";
import { seesDisk } from "../domain/authorizing.ts";
import { isFailure } from "../domain/failures.ts";
import type { Unread } from "../domain/generation.ts";
import type { Passage } from "../domain/passage.ts";
import { entityTag } from "./caching.ts";
import { besideOf, computeAnswer, frameOf, renderAsText, served, type Listed } from "./computing.ts";
import type { Computation, Computed, Rules } from "./computation.ts";
import { withOnly } from "./fitting.ts";
import { choiceOf, locate, servedPassages, shownLibrary, type ReadAct } from "./located.ts";
import { cachedFromManifest } from "./manifest-cache.ts";
import type { ApiOptions } from "./options.ts";
import { renderVersion } from "./render-text.ts";
import { rulesOf } from "./rules.ts";
import type { contextSchema } from "./schemas/reading.ts";

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

/** Creates the functions that answer questions. */
export function createReading({
  ports,
  settings,
  countRead,
  noteMiss,
  computeElsewhere,
  turn,
}: Pick<ApiOptions, "ports" | "settings" | "countRead" | "noteMiss" | "computeElsewhere"> & {
  /** Resolves at the caller's turn to compute an answer. */
  readonly turn: (client: string) => Promise<void>;
}): { readonly read: Read; readonly explain: Explain } {
  const ownRules = cachedFromManifest(ports, ({ settings: own }) => own?.rules ?? [], []);
  const unreadOf = cachedFromManifest<Unread | undefined>(ports, ({ unread }) => unread, undefined);

  /** Computes an answer on a thread, if there are some. If that finds a loss, this thread looks again, as it can restore. */
  const compute = async (asked: Computation, client: string): Promise<Computed> => {
    try {
      if (computeElsewhere) return await computeElsewhere(asked, client);
    } catch (error) {
      if (!isFailure(error, "index_rebuilding")) throw error;
    }
    return computeAnswer({ ...ports, unreadOf }, asked);
  };

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
    const asked = { located: answererOf(located), rules, type, question, showsDisk: seesDisk(caller, library) };
    const answer = isKnown ? null : await orReload(ports, located, () => compute(asked, caller.keyId ?? ""));
    countRead(library.uid, version);
    // A passage in another language or of another kind may have the words.
    if (answer?.isIntroduction === true && question.kind === undefined && question.language === undefined)
      noteMiss(library.uid, question.query);
    const { topic = null, body = null } = answer ?? {};
    return { libraryUid: library.uid, topic, library: shownLibrary(located), tag, body };
  };

  const explain: Explain = async (caller, { libraryId, ...question }, act) => {
    const located = await locate(ports, caller, libraryId, act);
    const rules = await rulesOf(settings, ownRules, located);
    await turn(caller.keyId ?? "");
    const showsDisk = seesDisk(caller, located.library);
    const answer = served(await explainAnswer(ports, located, question), showsDisk);
    const { next, isIntroduction, order } = answer;
    const frame = await frameOf({ ...ports, unreadOf }, located, rules, question, answer);
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

/** The version that answers, without the functions of its policy. */
function answererOf({ access: _access, ...answerer }: Located): Answerer {
  return answerer;
}
