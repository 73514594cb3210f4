import { quantile } from "../measure.ts";
import type { JsonFigures, TextFigures } from "./figures.ts";
import type { RepeatedLines } from "./repeats.ts";

/** One row of a table: what all answers come to. */
export interface Row {
  readonly figure: string;
  /** Not a number where there is nothing to divide by. */
  readonly value: number;
  readonly unit: "" | "%";
  readonly digits: number;
}

/** Tokens that an answer may hold where the client asks for no other number. */
const budget = 5000;

/** Sums up the text form of answers; there has to be at least one. */
export function sumTexts(all: readonly TextFigures[]): readonly Row[] {
  const sum = (of: (one: TextFigures) => number): number => total(all.map(of));
  const counted = sum(({ leadIns }) => leadIns.counted);
  const inPlace = sum(({ places }) => places.inPlace);
  const judged = inPlace + sum(({ places }) => places.elsewhere);
  const codeBlocks = sum((one) => one.codeBlocks);
  return [
    count("answers", all.length),
    count("lead-ins that lead to something in their page", counted),
    share("lead-ins to nothing", sum(({ leadIns }) => leadIns.toNothing) / counted),
    share("lead-ins to something else", sum(({ leadIns }) => leadIns.toOther) / counted),
    count(
      "lead-ins to nothing in their page either",
      sum(({ leadIns }) => leadIns.nothingThere),
    ),
    count(
      "lead-ins not found in their page",
      sum(({ leadIns }) => leadIns.notFound),
    ),
    count(
      "answers that end with a lead-in",
      sum(({ leadIns }) => leadIns.atEnd),
    ),
    share("tokens in headings and sources", sum((one) => one.headingTokens) / sum((one) => one.tokens)),
    ...budgetRows(all),
    ...errorRows(
      "estimate of the whole text",
      all.map(({ estimate, tokens }) => estimate / tokens - 1),
    ),
    ...repeatRows(all),
    share("code in its place, of what can be told", inPlace / judged),
    share("code that is not found in its page", sum(({ places }) => places.codeNotFound) / codeBlocks),
    share("code behind what is not found there", sum(({ places }) => places.beforeNotFound) / codeBlocks),
    mean(
      "tokens an answer",
      all.map(({ tokens }) => tokens),
      0,
    ),
    mean(
      "page groups an answer",
      all.map(({ groups }) => groups),
    ),
    mean(
      "passages an answer",
      all.map(({ passages }) => passages),
    ),
    mean(
      "blocks of code an answer",
      all.map((one) => one.codeBlocks),
    ),
    mean(
      "lines on what was left out, an answer",
      all.map(({ leftOut }) => leftOut),
    ),
  ];
}

/** Sums up the JSON form of answers; there has to be at least one. */
export function sumJsons(all: readonly JsonFigures[]): readonly Row[] {
  return [
    count("answers", all.length),
    ...budgetRows(all),
    mean(
      "tokens of texts and code alone, an answer",
      all.map(({ ownTokens }) => ownTokens),
      0,
    ),
    count(
      "answers whose texts and code alone are over 5,000",
      all.filter(({ ownTokens }) => ownTokens > budget).length,
    ),
    ...errorRows(
      "estimate of texts and code",
      all.filter(({ ownTokens }) => ownTokens > 0).map(({ estimate, ownTokens }) => estimate / ownTokens - 1),
    ),
    ...repeatRows(all),
    count("code blocks in prose that are among the code too", total(all.map(({ repeatedCode }) => repeatedCode))),
    count("answers with such a block", all.filter(({ repeatedCode }) => repeatedCode > 0).length),
    mean(
      "tokens an answer",
      all.map(({ tokens }) => tokens),
      0,
    ),
    mean(
      "code snippets an answer",
      all.map(({ codeSnippets }) => codeSnippets),
    ),
    mean(
      "info snippets an answer",
      all.map(({ infoSnippets }) => infoSnippets),
    ),
  ];
}

function budgetRows(all: readonly { readonly tokens: number }[]): readonly Row[] {
  const over = all.filter(({ tokens }) => tokens > budget).map(({ tokens }) => tokens / budget - 1);
  return [
    count("answers over 5,000 tokens", over.length),
    share("by how much these are over, mean", total(over) / over.length),
  ];
}

function errorRows(name: string, errors: readonly number[]): readonly Row[] {
  const farthest = errors.toSorted((a, b) => Math.abs(b) - Math.abs(a))[0] ?? Number.NaN;
  return [
    share(`${name}: mean error`, total(errors) / errors.length),
    share(`${name}: p5`, quantile(errors, 0.05)),
    share(`${name}: p95`, quantile(errors, 0.95)),
    share(`${name}: farthest`, farthest),
  ];
}

function repeatRows(all: readonly { readonly repeated: RepeatedLines }[]): readonly Row[] {
  return [
    count("repeated lines in prose", total(all.map(({ repeated }) => repeated.prose))),
    count("repeated lines in code", total(all.map(({ repeated }) => repeated.code))),
    count("answers with a repeated line", all.filter(({ repeated: { prose, code } }) => prose + code > 0).length),
  ];
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function count(figure: string, value: number): Row {
  return { figure, value, unit: "", digits: 0 };
}

function share(figure: string, value: number): Row {
  return { figure, value: value * 100, unit: "%", digits: 1 };
}

function mean(figure: string, values: readonly number[], digits = 1): Row {
  return { figure, value: total(values) / values.length, unit: "", digits };
}
