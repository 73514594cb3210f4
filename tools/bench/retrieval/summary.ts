import { quantile } from "../measure.ts";
import { systems, unjudged } from "./answers.ts";
import type { Asked, Scored, System } from "./answers.ts";
import { meanScores } from "./metrics.ts";
import type { Scores } from "./metrics.ts";
import { intents } from "./questions.ts";
import { pairedDifference } from "./statistics.ts";
import type { PairedDifference } from "./statistics.ts";

/** Mean scores of each system over the same questions. */
export interface Figures {
  readonly questions: number;
  readonly text: Scores;
  readonly json: Scores;
  readonly plain: Scores;
}

/** Lectern's form of an answer against the plain index. */
export interface Difference {
  readonly mrr: PairedDifference;
  readonly ndcg5: PairedDifference;
}

/** What a set of questions comes to; no single question can be told from it. */
export interface Summary {
  readonly all: Figures;
  readonly byIntent: Readonly<Record<string, Figures>>;
  readonly byLibrary: Readonly<Record<string, Figures>>;
  readonly overPlain: { readonly text: Difference; readonly json: Difference };
  /** Pages among the first five that nobody has judged, a question; each counts as wrong. */
  readonly unjudged: Readonly<Record<System, number>>;
  /** Mean model tokens of an answer. */
  readonly tokens: number;
}

/** How long answers took, in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p95: number;
}

/** Sums up questions. There has to be at least one. */
export function summarise(scored: readonly Scored[]): Summary {
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

/** The latency of the answers. */
export function latencyOf(asked: readonly Asked[]): Latency {
  const times = asked.map(({ milliseconds }) => milliseconds);
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
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
