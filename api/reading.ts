import type * as z from "zod";

import type { Caller } from "../domain/access.ts";
import { answerQuestion, locateLibrary } from "../domain/answering.ts";
import type { Answer, ContextRequest, Located } from "../domain/answering.ts";
import { showLibrary } from "../domain/library.ts";
import { oneLine } from "../domain/one-line.ts";
import { kindOf } from "../domain/kinds/index.ts";
import { estimateTokens } from "../domain/tokens.ts";
import { isSameVersion } from "../domain/version-match.ts";
import { entityTag } from "./caching.ts";
import type { ApiOptions } from "./options.ts";
import { fit } from "./fitting.ts";
import { ofKind } from "./of-kind.ts";
import { seesDisk, passageWithoutDisk } from "./places.ts";
import { renderJson } from "./render.ts";
import { renderText, renderVersion } from "./render-text.ts";
import type { AddressOf } from "./render-text.ts";
import { createOwnRules, rulesField, rulesOf, rulesText } from "./rules.ts";
import type { Rules } from "./rules.ts";
import type { contextSchema } from "./schemas/reading.ts";

/** A question to one library, and the form that its answer is to have. */
export interface ReadRequest extends ContextRequest {
  /** A library ID, with a version or without. */
  readonly libraryId: string;
  readonly type: "txt" | "json";
}

/** What a library answers. */
export interface Reading {
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
export type Read = (caller: Caller, asked: ReadRequest, isHeld?: (tag: string) => boolean) => Promise<Reading>;

/** What HTTP, and every other surface that answers questions, reads with. */
export function createReading({
  ports,
  settings,
  countRead,
}: Pick<ApiOptions, "ports" | "settings" | "countRead">): Read {
  const ownRules = createOwnRules(ports);
  return async (caller, { libraryId, type, ...asked }, isHeld = () => false) => {
    const located = await locateLibrary(ports, caller, libraryId);
    const { library, version } = located;
    const rules = await rulesOf(settings, ownRules, located);
    const tag = tagOf(caller, located, rules, type, asked);
    const found = isHeld(tag) ? null : await answerQuestion(ports, located, asked);
    countRead(library.uid, version);
    const body = found && render(located, rules, type, asked, hidden(found, seesDisk(caller, library)));
    return { library: showLibrary(library.id, version), tag, body };
  };

  /** A tag over everything that the answer depends on. */
  function tagOf(
    caller: Caller,
    located: Located,
    rules: Rules,
    type: ReadRequest["type"],
    { query, tokens, limit, kind, language }: ContextRequest,
  ): string {
    const { library, version, generation } = located;
    return entityTag([
      generation.id,
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

/** The version as it was asked for, where that is a range, or written otherwise; else null. */
function choiceOf({ asked, version }: Located): string | null {
  return isSameVersion(asked, version) ? null : asked;
}

function hidden(answer: Answer, seen: boolean): Answer {
  return seen ? answer : { ...answer, passages: answer.passages.map(passageWithoutDisk) };
}

function render(
  located: Located,
  rules: Rules,
  type: ReadRequest["type"],
  { tokens, kind, language }: ContextRequest,
  { passages: found, isIntroduction }: Answer,
): NonNullable<Reading["body"]> {
  const passages = ofKind(found, kind, type);
  const { library, version } = located;
  const choice = choiceOf(located);
  const answering = showLibrary(library.id, version);
  const where = kind === undefined && language === undefined ? "" : " where kind and language are as asked for";
  const about = library.description === "" ? "" : ` ${library.title}: ${library.description}`;
  const note = isIntroduction
    ? oneLine(`${answering} has none of the words of this question${where}; try other words.${about}`)
    : "";
  if (type === "json") {
    const told = note === "" ? [] : [infoNote(library.title, note)];
    return fit(passages, tokens, {
      render: (chosen) => {
        const { codeSnippets, infoSnippets } = renderJson(chosen, kind);
        const choices = { ...rulesField(rules), ...(choice !== null && { version }) };
        return { codeSnippets, infoSnippets: [...told, ...infoSnippets], ...choices };
      },
      sent: (body) => JSON.stringify(body),
    });
  }
  // Who asks for a range, or for the latest, is told which version that is: a model reads no headers.
  const told = choice === null ? "" : `This is ${answering}, which "${choice}" stands for.\n\n`;
  const { address } = kindOf(library.source);
  const addressOf: AddressOf = ({ page }, lines) => address(library.source, page.url, { lines });
  const before = `${told}${rulesText(library.id, rules)}${note === "" ? "" : `${note}\n\n`}`;
  return fit(passages, tokens, {
    render: (chosen) => `${before}${renderText(chosen, addressOf)}`.trimEnd(),
    sent: (text) => text,
  });
}

function infoNote(title: string, content: string): z.infer<typeof contextSchema>["infoSnippets"][0] {
  return { pageId: "", breadcrumb: title, content, contentTokens: estimateTokens(content) };
}
