import { systems, unjudged, type Scored, type System } from "./answers.ts";
import { meanScores, type Scores } from "./metrics.ts";
import { intents } from "./questions.ts";
import { pairedDifference, type PairedDifference } from "./statistics.ts";

/** Mean scores of each system over the same questions. */
export interface Figures {
  readonly questions: number;
  readonly text: Scores;
  readonly json: Scores;
  readonly plain: Scores;
}

/** The difference of a form of an answer to the plain index. */
export interface Difference {
  readonly mrr: PairedDifference;
  readonly ndcg5: PairedDifference;
}

/** Scores of a set of questions, without single questions. */
export interface Summary {
  readonly all: Figures;
  readonly byIntent: Readonly<Record<string, Figures>>;
  readonly byLibrary: Readonly<Record<string, Figures>>;
  readonly overPlain: { readonly text: Difference; readonly json: Difference };
  /** Mean number of unjudged pages among the first five of an answer; each counts as wrong. */
  readonly unjudged: Readonly<Record<System, number>>;
  /** Mean model tokens of an answer. */
  readonly tokens: number;
}

/** Summaries of the halves; single questions of the half `tune` alone. */
export interface Evaluation {
  readonly tune?: Summary;
  readonly aside?: Summary;
  readonly questions: readonly Scored[];
}

/** Summarises scored answers by half. */
export function toEvaluation(scored: readonly Scored[]): Evaluation {
  const { tune = [], aside = [] } = Object.groupBy(scored, ({ question }) => question.half);
  return {
    ...(tune.length > 0 && { tune: summarise(tune) }),
    ...(aside.length > 0 && { aside: summarise(aside) }),
    questions: tune,
  };
}

/** Summarises questions. There has to be at least one. */
function summarise(scored: readonly Scored[]): Summary {
  const groups = (names: readonly string[], nameOf: (one: Scored) => string): Record<string, Figures> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const own = scored.filter((one) => nameOf(one) === name);
        return own.length === 0 ? [] : [[name, figuresOf(own)]];
      }),
    );
  const libraries = [...new Set(scored.map(({ question }) => question.library))];
  return {
    all: figuresOf(scored),
    byIntent: groups(intents, ({ question }) => question.intent),
    byLibrary: groups(libraries, ({ question }) => question.library),
    overPlain: { text: differenceOf(scored, "text"), json: differenceOf(scored, "json") },
    unjudged: {
      text: unjudgedOf(scored, "text"),
      json: unjudgedOf(scored, "json"),
      plain: unjudgedOf(scored, "plain"),
    },
    tokens: scored.reduce((sum, { tokens }) => sum + tokens, 0) / scored.length,
  };
}

function figuresOf(scored: readonly Scored[]): Figures {
  const [text, json, plain] = systems.map((system) => meanScores(scored.map(({ scores }) => scores[system])));
  if (!text || !json || !plain) throw new Error("Each system has scores.");
  return { questions: scored.length, text, json, plain };
}

function unjudgedOf(scored: readonly Scored[], system: System): number {
  return scored.reduce((sum, one) => sum + unjudged(one.question, one[system]).length, 0) / scored.length;
}

function differenceOf(scored: readonly Scored[], system: System): Difference {
  const paired = (name: "mrr" | "ndcg5"): PairedDifference =>
    pairedDifference(
      scored.map(({ scores }) => scores[system][name]),
      scored.map(({ scores }) => scores.plain[name]),
    );
  return { mrr: paired("mrr"), ndcg5: paired("ndcg5") };
}
