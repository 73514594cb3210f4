/** Writing other formats as Markdown. */

/** Maximum number of columns; the last one takes the text of further ones. */
const maxColumns = 50;

/** Text in bold, unless it has code or marks in it. */
export function bold(text: string): string {
  return text === "" || /[*`\n]/.test(text) ? text : `**${text}**`;
}

/** A code span, with more backticks than any run in it (CommonMark 0.31, section 6.1). */
export function codeSpan(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
  const sign = "`".repeat(longest + 1);
  const gap = longest > 0 ? " " : "";
  return `${sign}${gap}${text}${gap}${sign}`;
}

/** An address with the characters encoded that would end it in a link. */
export function linkAddress(address: string): string {
  return address.replace(/[\s<>()]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}

/** Joins lines, without the indentation of the first one and without empty ones at both ends. */
export function undented(lines: readonly string[]): string {
  const first = lines.find((line) => line !== "") ?? "";
  const width = first.length - first.trimStart().length;
  return lines
    .map((line) => (line.slice(0, width).trim() === "" ? line.slice(width) : line.trimStart()))
    .join("\n")
    .trim();
}

/** A table in GitHub's Markdown, without empty rows; "" if all are empty. `headed`: the first row has the column names. */
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
