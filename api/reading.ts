import type * as z from "zod";

import type { Caller } from "../domain/access.ts";
import { answerQuestion, locateLibrary } from "../domain/answering.ts";
import type { Answer, ContextRequest, Located } from "../domain/answering.ts";
import type { Unread } from "../domain/generation.ts";
import { showLibrary } from "../domain/library.ts";
import { oneLine } from "../domain/one-line.ts";
import type { Passage } from "../domain/passage.ts";
import { seesDisk } from "../domain/places.ts";
import { kindOf } from "../domain/kinds/index.ts";
import { estimateTokens } from "../domain/tokens.ts";
import { isSameVersion, matchVersions } from "../domain/version-match.ts";
import type { Act } from "./auditing.ts";
import { entityTag } from "./caching.ts";
import type { ApiOptions } from "./options.ts";
import { fit } from "./fitting.ts";
import { withLinks } from "./links.ts";
import { notesOf } from "./notes.ts";
import { ofKind } from "./of-kind.ts";
import { passageWithoutDisk } from "./places.ts";
import { renderJson } from "./render.ts";
import { renderText, renderVersion } from "./render-text.ts";
import type { AddressOf } from "./render-text.ts";
import { createUnreadOf } from "./library-notes.ts";
import { createOwnRules, rulesField, rulesOf, rulesText } from "./rules.ts";
import type { Rules } from "./rules.ts";
import type { contextSchema } from "./schemas/reading.ts";

/** A question to one library, and the form that its answer is to have. */
export interface ReadRequest extends ContextRequest {
  /** A library ID, with a version or without. */
  readonly libraryId: string;
  readonly type: "txt" | "json";
  /** The upstream is not asked, whatever the caller may. */
  readonly alone: boolean;
}

/** What a library answers. */
export interface Reading {
  /** The library's own id in the catalog; null: it is the upstream's. */
  readonly libraryUid: string | null;
  /** Heading of the passage that answers best; null where nothing was found, or nothing was looked for. */
  readonly topic: string | null;
  /** The library and version that answer, such as `/acme/widgets/v2`. */
  readonly library: string;
  /** An entity tag: the same as long as the answer is. */
  readonly tag: string;
  /** In the form that was asked for; null where the asker holds it. */
  readonly body: string | z.infer<typeof contextSchema> | null;
}

/**
 * Answers a question from one library with what the caller may see, rules first, within the budget, and counts the read.
 * `isHeld` tells of a tag whether the asker has that answer, so that no index is asked for it.
 * @throws Failure, also while the library is being indexed (library_not_finalized) and where it moved
 */
export type Read = (
  caller: Caller,
  asked: ReadRequest,
  act: Pick<Act, "begin" | "failed">,
  isHeld?: (tag: string) => boolean,
) => Promise<Reading>;

/** Maximum number of pages of a small manifest: a library that is mostly unread has few. */
const fewPages = 500;

/** What HTTP, and every other surface that answers questions, reads with. */
export function createReading({
  ports,
  settings,
  countRead,
  noteMiss,
  turn,
}: Pick<ApiOptions, "ports" | "settings" | "countRead" | "noteMiss"> & {
  /** Resolves when it is the caller's turn to have the processor for an answer. */
  readonly turn: (client: string) => Promise<void>;
}): Read {
  const ownRules = createOwnRules(ports);
  const unreadOf = createUnreadOf(ports);
  return async (caller, { libraryId, type, alone: _alone, ...asked }, act, isHeld = () => false) => {
    const located = await locateLibrary(
      { ...ports, indexVersion: recorded(ports.indexVersion, act) },
      caller,
      libraryId,
    );
    const { library, version } = located;
    const rules = await rulesOf(settings, ownRules, located);
    const tag = tagOf(caller, located, rules, type, asked);
    const isKnown = isHeld(tag);
    if (!isKnown) await turn(caller.keyId ?? "");
    const found = isKnown ? null : await answerQuestion(ports, located, asked);
    countRead(library.uid, version);
    // What was asked for in one language or kind may be there in another.
    if (found?.isIntroduction === true && asked.kind === undefined && asked.language === undefined)
      noteMiss(library.uid, asked.query);
    const body = found && (await render(located, rules, type, asked, served(found, seesDisk(caller, library))));
    const topic = found === null || found.isIntroduction ? null : (found.passages[0]?.title ?? null);
    return { libraryUid: library.uid, topic, library: showLibrary(library.id, shownVersion(located)), tag, body };
  };

  async function render(
    located: Located,
    rules: Rules,
    type: ReadRequest["type"],
    asked: ContextRequest,
    answer: Answer,
  ): Promise<NonNullable<Reading["body"]>> {
    const { id, counts } = located.generation;
    const isMissing = answer.isIntroduction || answer.missing.length > 0;
    // Manifests of many pages are large: these are read only where something is missing.
    const unread = isMissing || counts.pages <= fewPages ? await unreadOf(id) : undefined;
    const told = tell(located, rules, asked, answer, unread);
    const passages = ofKind(answer.passages, asked.kind, type);
    const renderAs = type === "json" ? renderAsJson : renderAsText;
    return renderAs(passages, asked.tokens, located, told);
  }

  /** A tag over everything that the answer depends on. */
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

/** Asking for a version that is not indexed is a submission. */
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

/** The version that answers, as it is shown: of a package also the default one has a name. */
function shownVersion({ library, version, generation }: Located): string {
  return kindOf(library.source).namesVersion === true ? (generation.ref ?? version) : version;
}

/** The version as it was asked for, where that is a range, or written otherwise; else null. */
function choiceOf(located: Located): string | null {
  return located.asked === located.version || isSameVersion(located.asked, shownVersion(located))
    ? null
    : located.asked;
}

/** Which version answers, where that is not said by what was asked. */
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

function served(answer: Answer, seen: boolean): Answer {
  const passages = seen ? answer.passages : answer.passages.map(passageWithoutDisk);
  return { ...answer, passages: passages.map(withLinks) };
}

/** What the text form and the JSON form of an answer have both. */
interface Told {
  /** Which version answers, and a sentence that says so; undefined: the one that was asked for. */
  readonly answering: { readonly version: string; readonly sentence: string; readonly isNearest?: true } | undefined;
  readonly rules: Rules;
  /** The sentence before an introduction; "" for any other answer. */
  readonly introduced: string;
  /** What is not there, in sentences. */
  readonly notes: readonly string[];
}

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

function renderAsJson(
  passages: readonly Passage[],
  tokens: number,
  { library }: Located,
  { answering, rules, introduced, notes }: Told,
): NonNullable<Reading["body"]> {
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
    // What has an example as text has it as JSON, which takes somewhat more room.
    needs: ({ type }) => type === "code",
  });
}

function renderAsText(
  passages: readonly Passage[],
  tokens: number,
  { library }: Located,
  { answering, rules, introduced, notes }: Told,
): string {
  // Who asks for a range, or for the latest, is told which version that is: a model reads no headers.
  const told = answering ? `${answering.sentence}\n\n` : "";
  const { address } = kindOf(library.source);
  const addressOf: AddressOf = ({ page }, lines) => address(library.source, page.url, { lines });
  const before = `${told}${rulesText(library.id, rules)}${introduced === "" ? "" : `${introduced}\n\n`}`;
  // The first of an introduction's stands before it.
  const behind = introduced === "" ? notes : notes.slice(1);
  const last = behind.length === 0 ? "" : `\n\n[${behind.join(" ")}]`;
  return fit(passages, tokens, {
    render: (chosen) => `${`${before}${renderText(chosen, addressOf)}`.trimEnd()}${last}`.trimStart(),
    sent: (text) => text,
  });
}

function infoNote(title: string, content: string): z.infer<typeof contextSchema>["infoSnippets"][0] {
  return { pageId: "", breadcrumb: title, content, contentTokens: estimateTokens(content) };
}
