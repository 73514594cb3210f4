/** A line that is a comment in most languages, and what stands behind its mark. */
const lineComment = /^[ \t]*(?:\/\/|\/\*|\*|#(?!!)|--|;|%|<!--|'''|""")(.*)/;
/** A comment behind code. */
const trailing = /[ \t;{})](?:\/\/|#|--)[ \t](.*)/;

/** What the comments of a code say, line by line; "" where it has none. */
export function commentsOf(code: string): string {
  const lines: string[] = [];
  let closing = "";
  for (const line of code.split("\n")) {
    if (closing !== "") {
      lines.push(line);
      if (line.includes(closing)) closing = "";
      continue;
    }
    const said = lineComment.exec(line)?.[1] ?? trailing.exec(line)?.[1];
    if (said !== undefined) lines.push(said);
    const opened = /\/\*|<!--/.exec(line);
    if (opened === null) continue;
    const end = opened[0] === "/*" ? "*/" : "-->";
    if (!line.includes(end, opened.index)) closing = end;
    if (said === undefined) lines.push(line.slice(opened.index));
  }
  return lines.join("\n");
}
