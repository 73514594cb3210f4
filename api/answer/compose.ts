import type * as z from "zod";
import {
  answerQuestion,
  type Answerer,
  type AnsweringPorts,
  type ComputingPorts,
  type ContextRequest,
  type RankedAnswer,
} from "../../domain/answering.ts";
import type { Unread } from "../../domain/generation.ts";
import { closeFences } from "../../domain/markdown.ts";
import { createPlaces, findOutline } from "../../domain/more.ts";
import { oneLine } from "../../domain/one-line.ts";
import { asksForHeld } from "../../domain/outline.ts";
import type { Passage } from "../../domain/passage.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import type { contextSchema } from "../schemas/reading.ts";
import { servedPassages } from "../served-addresses.ts";
import { fit, withOnly } from "./fitting.ts";
import { framedText, rulesField, type Frame } from "./frame.ts";
import { infoSnippet, renderJson } from "./json.ts";
import { notesOf } from "./notes.ts";
import { listedPlaces, moreText } from "./places.ts";
import { addressIn, renderText } from "./text.ts";

type Context = z.infer<typeof contextSchema>;

/** A question to a located library, with all that its answer depends on, as plain data. */
export interface Computation {
  readonly located: Answerer;
  readonly frame: Frame;
  readonly type: "txt" | "json";
  readonly question: ContextRequest;
  /** Paths of the server's disk may be in the answer. */
  readonly showsDisk: boolean;
}

/** A computed answer. */
export interface Computed {
  readonly isIntroduction: boolean;
  /** Heading of the best passage; null: nothing was found. */
  readonly topic: string | null;
  readonly body: string | Context;
}

/** What is composed round the passages of an answer. */
export type ComposingPorts = Pick<AnsweringPorts, "pages" | "ranker" | "restore"> & {
  /** What a generation has in formats that are not read; undefined: nothing. */
  readonly unreadOf: (generation: string) => Promise<Unread | undefined>;
};

/** Maximum number of pages of a small manifest: a library mostly in unread formats has few. */
const fewPages = 500;

/** Largest share of a budget that a team note takes. */
const noteShare = 0.25;

/** Queries the index, ranks and renders: most of the processor time of a read. @throws Failure as `answerQuestion` */
export async function computeAnswer(ports: ComputingPorts & ComposingPorts, asked: Computation): Promise<Computed> {
  const answer = await answerQuestion(ports, asked.located, asked.question);
  const { text, json } = await composeAnswer(ports, asked, answer);
  const { isIntroduction, passages } = answer;
  const topic = isIntroduction ? null : (passages[0]?.title ?? null);
  return { isIntroduction, topic, body: asked.type === "json" ? json() : text().text };
}

/**
 * Composes an answer of its parts: passages, what is missing, places beside them, rules and notes of the team. Either form is within the
 * budget.
 */
export async function composeAnswer(
  { unreadOf, ...ports }: ComposingPorts,
  { located, frame, question, showsDisk }: Omit<Computation, "type">,
  answer: RankedAnswer,
) {
  const { library, generation } = located;
  const { query, tokens, kind, language } = question;
  const { isIntroduction, missing } = answer;
  const passages = servedPassages(answer.passages, showsDisk);
  // Large manifests are read only if something is missing.
  const mayLack = isIntroduction || missing.length > 0 || generation.counts.pages <= fewPages;
  const unread = mayLack ? await unreadOf(generation.id) : undefined;
  const outline = await findOutline(ports, located);
  const placesBeside = outline && createPlaces(ports.ranker, outline, answer);
  const moreBeside = (whole: readonly Passage[]) => placesBeside?.(whole) ?? { places: [], held: [] };

  const lacking = notesOf({ answering: frame.shown, query, isIntroduction, missing, passages, unread });
  const where = kind === undefined && language === undefined ? "" : " where kind and language are as asked for";
  const advice = lacking.length === 0 ? "; try other words" : "";
  const none = `${frame.shown} has none of the words of this question${where}${advice}.`;
  const about = library.description === "" ? "" : ` ${library.title}: ${library.description}`;
  const introduction = isIntroduction ? oneLine(`${none}${about}`) : "";
  const notes = [...lacking];
  if (outline === undefined) notes.push("What else this library has cannot be named at the moment.");
  else if (asksForHeld(outline, query)) notes.push("A section that the question names is held back by the screen.");
  const teamNote = teamNoteWithin(located, tokens);

  /** The notes of the JSON form, and its `more`, beside passages that are shown whole. */
  const beside = (whole: readonly Passage[]) => {
    const { places, held } = moreBeside(whole);
    const version = frame.answering?.isNearest ? [frame.answering.sentence] : [];
    const said = [...version, ...(isIntroduction ? [none] : []), ...notes, ...held];
    return { notes: said, more: listedPlaces(places, tokens) };
  };

  return {
    /** As they are served, the best first. */
    passages,
    beside,
    /** The text form, the passages in it, and those of them that are not shortened. */
    text() {
      const addressOf = addressIn(library.source);
      const before = introduction === "" ? "" : `${introduction}\n\n`;
      const title = `Your team's note on ${library.id}, which is no part of its documentation:`;
      const team = teamNote === "" ? "" : `${title}\n\n${closeFences(teamNote)}`;
      return fit(withOnly(passages, kind, "txt"), tokens, {
        render: (shown, isShortened) => {
          const whole = isShortened ? [] : shown;
          const others = [moreText(moreBeside(whole), tokens), team];
          const text = framedText(frame, `${before}${renderText(shown, addressOf)}`, notes, others);
          return { text, shown, whole };
        },
        sent: ({ text }) => text,
      });
    },
    json(): Context {
      const introducing = introduction === "" ? [] : [infoSnippet("", library.title, introduction)];
      return fit(withOnly(passages, kind, "json"), tokens, {
        render: (shown, isShortened) => {
          const { codeSnippets, infoSnippets } = renderJson(shown);
          const { notes: said, more } = beside(isShortened ? [] : shown);
          return {
            codeSnippets,
            infoSnippets: [...introducing, ...infoSnippets],
            ...rulesField(frame.rules),
            ...(frame.answering && { version: frame.answering.version }),
            ...(said.length > 0 && { notes: said }),
            ...(more.length > 0 && { more }),
            ...(teamNote !== "" && { teamNote }),
          };
        },
        sent: (body) => JSON.stringify(body),
        // JSON takes slightly more space than text: an example in the text form must be in this one too.
        needs: ({ type }) => type === "code",
      });
    },
  };
}

/** The note of the caller's teamspace, or a sentence on one that is too long for the budget; "": none. */
function teamNoteWithin({ library, teamNote = "" }: Answerer, tokens: number): string {
  const size = estimateTokens(teamNote);
  if (size <= tokens * noteShare) return teamNote;
  const needed = Math.ceil(size / noteShare);
  return `Your team has a note on ${library.id} that is too long here. Ask with tokens=${needed} to get it.`;
}
