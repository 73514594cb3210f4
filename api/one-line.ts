/** Text in one line: runs of white space are single spaces, and there is none at its ends. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
