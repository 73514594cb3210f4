import type * as z from "zod";
import type { Caller } from "../../domain/access.ts";
import {
  explainAnswer,
  locateLibrary,
  orReload,
  type Answerer,
  type ContextRequest,
  type Located,
} from "../../domain/answering.ts";
import { seesDisk } from "../../domain/authorizing.ts";
import { isFailure } from "../../domain/failures.ts";
import { showLibrary } from "../../domain/library.ts";
import type { Act } from "../auditing.ts";
import { entityTag } from "../caching.ts";
import { cachedFromManifest } from "../manifest-cache.ts";
import type { ApiOptions } from "../options.ts";
import type { contextSchema } from "../schemas/reading.ts";
import { servedPassages } from "../served-addresses.ts";
import { composeAnswer, computeAnswer, type ComposingPorts, type Computation, type Computed } from "./compose.ts";
import { frameOf, type Frame } from "./frame.ts";
import { renderVersion } from "./text.ts";

type Context = z.infer<typeof contextSchema>;

/** What is asked of a library. */
export interface Asked {
  /** A library ID, with or without a version. */
  readonly libraryId: string;
  /** The upstream must not be asked. */
  readonly localOnly: boolean;
}

/** A question to a library, and the form of its answer. */
export interface ReadRequest extends ContextRequest, Asked {
  readonly type: "txt" | "json";
}

/** The answer of a library. */
export interface Reading<Body> {
  /** The library's uid; null: it is a library of the upstream. */
  readonly libraryUid: string | null;
  /** Heading of the best passage, or title of the page; null: nothing was found, or the caller has cached the answer. */
  readonly topic: string | null;
  /** Library and version that answer, such as `/acme/widgets/v2`. */
  readonly library: string;
  /** An entity tag of the answer. */
  readonly tag: string;
  /** Null: the caller has cached the answer. */
  readonly body: Body | null;
}

/** The audit record of a read, which starts the indexing of a requested version. */
type ReadAct = Pick<Act, "begin" | "failed">;

/**
 * Reads something of a library, and counts the read. `isCached` returns whether the caller has cached the answer with a tag, which saves
 * the work.
 * @throws Failure, also while the library is being indexed (library_not_finalized) and after it moved
 */
export type Reads<Question, Body> = (
  caller: Caller,
  question: Question,
  act: ReadAct,
  isCached?: (tag: string) => boolean,
) => Promise<Reading<Body>>;

/** What a caller reads of a library. */
export interface ReadLibrary {
  readonly located: Located;
  readonly frame: Frame;
  /** The caller may see paths of the server's disk. */
  readonly showsDisk: boolean;
}

/** What reading needs. */
type ReadingOptions = Pick<ApiOptions, "ports" | "settings" | "countRead" | "noteMiss" | "computeElsewhere"> &
  Pick<ComposingPorts, "unreadOf"> & {
    /** Resolves at the caller's turn to compute an answer. */
    readonly turn: (client: string) => Promise<void>;
  };

/** The answer to a question from a library. */
type AnswerOf<Question, Body> = (
  question: Question,
  library: ReadLibrary,
  caller: Caller,
) => Promise<Pick<Reading<Body>, "topic" | "body">>;

/** Creates the functions by which everything is read of a library. */
export function createReader({ ports, settings, countRead, turn }: ReadingOptions) {
  const ownRules = cachedFromManifest(ports, ({ settings: own }) => own?.rules ?? [], []);

  /** Finds the generation that answers, with its rules. @throws Failure as `locateLibrary` */
  const open = async (caller: Caller, libraryId: string, act: ReadAct): Promise<ReadLibrary> => {
    const indexVersion = recorded(ports.indexVersion, act);
    const located = await locateLibrary({ ...ports, indexVersion }, caller, libraryId);
    const { library, generation, access } = located;
    const rules = {
      global: access.globalRules,
      libraryOwn: settings.sourceRules ? await ownRules(generation.id) : [],
      libraryTeam: [...(library.chosen?.rules ?? []), ...access.rulesOf(library.id)],
    };
    return { located, frame: frameOf(located, rules), showsDisk: seesDisk(caller, library) };
  };

  /** A function that answers. `of`: what the answer depends on besides library, rules and question. */
  const reads =
    <Question extends Asked, Body>(
      answer: AnswerOf<Question, Body>,
      of: (library: ReadLibrary) => unknown = () => null,
    ): Reads<Question, Body> =>
    async (caller, question, act, isCached = () => false) => {
      const opened = await open(caller, question.libraryId, act);
      const { located, frame, showsDisk } = opened;
      const { library, version, generation, access, teamNote } = located;
      const tag = entityTag([
        [generation.id, access.revision, ports.ranker.version, renderVersion, caller.libraries, showsDisk],
        [frame, library.title, library.description, teamNote],
        [question, await of(opened)],
      ]);
      const isKnown = isCached(tag);
      if (!isKnown) await turn(caller.keyId ?? "");
      const { topic, body } = isKnown ? { topic: null, body: null } : await answer(question, opened, caller);
      countRead(library.uid, version);
      return { libraryUid: library.uid, topic, library: frame.shown, tag, body };
    };
  return { open, reads };
}

/** What is read of a library, by whatever is asked. */
export type Reader = ReturnType<typeof createReader>;

/** Creates the functions that answer questions. */
export function createReading(
  { ports, turn, unreadOf, noteMiss, computeElsewhere }: ReadingOptions,
  { open, reads }: Reader,
) {
  const composing = { ...ports, unreadOf };

  /** Computes an answer on a thread, if there are some. If that finds a loss, this thread looks again, as it can restore. */
  const compute = async (asked: Computation, client: string): Promise<Computed> => {
    try {
      if (computeElsewhere) return await computeElsewhere(asked, client);
    } catch (error) {
      if (!isFailure(error, "index_rebuilding")) throw error;
    }
    return computeAnswer(composing, asked);
  };

  return {
    /** Answers a question within the budget, rules first. */
    read: reads<ReadRequest, string | Context>(
      async ({ libraryId: _id, localOnly: _only, type, ...question }, { located, ...library }, { keyId }) => {
        const asked = { ...library, located: answererOf(located), type, question };
        const { isIntroduction, topic, body } = await orReload(ports, located, () => compute(asked, keyId ?? ""));
        // A passage in another language or of another kind may have the words.
        if (isIntroduction && question.kind === undefined && question.language === undefined)
          noteMiss(located.library.uid, question.query);
        return { topic, body };
      },
      async ({ located: { generation } }) => {
        const { embedder, passages } = ports;
        return embedder && (await passages.model(generation.id)) === embedder.model && embedder.model;
      },
    ),

    /** The text form of an answer with its passages and the next best, and their order. It does not count as a read. */
    async explain(caller: Caller, { libraryId, ...question }: Omit<ReadRequest, "type" | "localOnly">, act: ReadAct) {
      const { located, ...library } = await open(caller, libraryId, act);
      await turn(caller.keyId ?? "");
      const answer = await explainAnswer(ports, located, question);
      const { isIntroduction, order } = answer;
      const {
        passages,
        text: inText,
        beside,
      } = await composeAnswer(composing, { ...library, located, question }, answer);
      const { text, shown, whole } = inText();
      const shownIds = new Set(shown.map(({ id }) => id));
      const others = passages.filter(({ id }) => !shownIds.has(id));
      const next = [...others, ...servedPassages(answer.next, library.showsDisk)];
      return { located, text, shown, next, ...beside(whole), isIntroduction, order };
    },
  };
}

/** Records the indexing of a requested version in the audit log, as it is a submission. */
function recorded(indexVersion: ApiOptions["ports"]["indexVersion"], act: ReadAct): typeof indexVersion {
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

/** The version that answers, without the functions of its policy. */
function answererOf({ access: _access, ...answerer }: Located): Answerer {
  return answerer;
}
