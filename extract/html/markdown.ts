/** Markdown that is written of formats which are not Markdown. */

/** What stands in later columns is put into the last of these. */
const maxColumns = 50;

/** Text in bold, unless it is code or has such signs already. */
export function bold(text: string): string {
  return text === "" || /[*`\n]/.test(text) ? text : `**${text}**`;
}

/** A code span, whose signs are more than any in it (CommonMark 0.31, section 6.1). */
export function codeSpan(text: string): string {
  let longest = 0;
  for (const { length } of text.match(/`+/g) ?? []) longest = Math.max(longest, length);
  const sign = "`".repeat(longest + 1);
  const gap = longest > 0 ? " " : "";
  return `${sign}${gap}${text}${gap}${sign}`;
}

/** An address with those characters encoded that would end it in a link. */
export function linkAddress(address: string): string {
  return address.replace(/[\s<>()]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}

/** Lines without the indentation of the first one, and without empty ones at their ends. */
export function undented(lines: readonly string[]): string {
  const first = lines.find((line) => line !== "") ?? "";
  const width = first.length - first.trimStart().length;
  return lines
    .map((line) => (line.slice(0, width).trim() === "" ? line.slice(width) : line.trimStart()))
    .join("\n")
    .trim();
}

/** A table in GitHub's Markdown, without empty rows; "" where all are. `headed`: the first of the others has names. */
export function tableOf(rows: readonly (readonly string[])[], headed: boolean): string {
  const filled = rows
    .filter((row) => row.some((cell) => cell !== ""))
    .map((row) =>
      row.length <= maxColumns ? row : [...row.slice(0, maxColumns - 1), row.slice(maxColumns - 1).join(" ")],
    );
  const width = filled.reduce((most, row) => Math.max(most, row.length), 0);
  const [first, ...others] = filled;
  if (first === undefined) return "";
  const line = (row: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, at) => row[at] ?? "").join(" | ")} |`;
  const [head, body] = headed ? [first, others] : [[], filled];
  return [line(head), `|${" --- |".repeat(width)}`, ...body.map(line)].join("\n");
}
