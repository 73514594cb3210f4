/** Text in one line: runs of white space are single spaces, and there is none at its ends. */
export function oneLine(text: string): string {
  // Most white space is a single space already; replacing each one by itself would take several times as long.
  return text.replace(/\s{2,}|[^\S ]/g, " ").trim();
}
