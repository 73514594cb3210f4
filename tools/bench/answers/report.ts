import { printTable } from "../measure.ts";
import type { JudgedAnswer } from "./collect.ts";
import { sumJsons, sumTexts } from "./sums.ts";
import type { Row } from "./sums.ts";

/** Prints a table for each form; with the answers of another version in a column of their own before these. */
export function printFigures(now: readonly JudgedAnswer[], before?: readonly JudgedAnswer[]): void {
  const texts = (answers: readonly JudgedAnswer[]): readonly Row[] => sumTexts(answers.map((one) => one.figures.text));
  const jsons = (answers: readonly JudgedAnswer[]): readonly Row[] => sumJsons(answers.map((one) => one.figures.json));
  printRows("text", texts(now), before && texts(before));
  printRows("JSON", jsons(now), before && jsons(before));
}

function printRows(form: string, now: readonly Row[], before?: readonly Row[]): void {
  console.log();
  printTable(
    ["figure", ...(before ? [`${form}, before`, `${form}, now`] : [form])],
    now.map((row, at) => [row.figure, ...[before?.[at], row].flatMap((one) => (one ? [show(one)] : []))]),
  );
}

function show({ value, unit, digits }: Row): string {
  if (Number.isNaN(value)) return "-";
  const number = value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return unit === "" ? number : `${number} ${unit}`;
}
