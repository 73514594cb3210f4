/** A range of a text: start, and end (exclusive). */
type Stretch = readonly [start: number, end: number];

/** A link or image of Markdown, by its ranges in the text. */
export interface FoundLink {
  /** Offset of its bracket, or of the exclamation mark of an image. */
  readonly start: number;
  readonly text: Stretch;
  readonly target: Stretch;
  /** Offset after its last parenthesis. */
  readonly end: number;
}

/** A line that opens or closes a fence, also in a list or quotation. */
const fenceLine = /^[\s>*+\-\d.)]*(`{3,}(?!`)|~{3,}(?!~))(.*)$/;
/** The address of a link after its parenthesis, and its title. */
const target =
  /(<[^<>\n]{0,2000}>|[^\s()<>]{0,2000}(?:\([^\s()]{0,500}\)[^\s()<>]{0,500})?)(?:[ \n]{1,9}(?:"[^"\n]{0,500}"|'[^'\n]{0,500}'))?[ ]{0,9}\)/y;

/** The links and images of Markdown outside of code, in order, without those nested in the text of another one. */
export function findLinks(markdown: string): readonly FoundLink[] {
  const plain = withoutCode(markdown);
  const open: number[] = [];
  const links: FoundLink[] = [];
  for (const { 0: bracket, index } of plain.matchAll(/\\.|\[|\]/g)) {
    if (bracket === "[") open.push(index);
    if (bracket !== "]") continue;
    const from = open.pop();
    if (from === undefined || plain[index + 1] !== "(") continue;
    target.lastIndex = index + 2;
    const [whole, address = ""] = target.exec(plain) ?? [];
    if (whole === undefined) continue;
    const isQuoted = address.startsWith("<");
    const begin = index + 2 + (isQuoted ? 1 : 0);
    const start = plain[from - 1] === "!" ? from - 1 : from;
    while ((links.at(-1)?.start ?? -1) > from) links.pop();
    links.push({
      start,
      text: [from + 1, index],
      target: [begin, begin + address.length - (isQuoted ? 2 : 0)],
      end: index + 2 + whole.length,
    });
  }
  return links;
}

/** The text with code replaced by blanks, in the same length. */
function withoutCode(markdown: string): string {
  let open = "";
  const lines = markdown.split("\n").map((line) => {
    const wasOpen = open !== "";
    const isFence = line.includes("```") || line.includes("~~~");
    const [, fence = "", rest = ""] = (isFence && fenceLine.exec(line)) || [];
    if (!wasOpen) open = fence.startsWith("`") && rest.includes("`") ? "" : fence;
    else if (fence[0] === open[0] && fence.length >= open.length && rest.trim() === "") open = "";
    return wasOpen || open !== "" ? " ".repeat(line.length) : line;
  });
  return withoutSpans(lines.join("\n"));
}

function withoutSpans(text: string): string {
  const runs = Array.from(text.matchAll(/`+/g), ({ 0: { length }, index }) => ({ length, index }));
  /** For each run of backticks the next one of its length, which closes it. */
  const closing = new Map<number, number>();
  const nearest = new Map<number, number>();
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const { length = 0 } = runs[at] ?? {};
    const next = nearest.get(length);
    if (next !== undefined) closing.set(at, next);
    nearest.set(length, at);
  }
  let plain = "";
  let done = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const [run, last] = [runs[at], runs[closing.get(at) ?? -1]];
    if (!run || !last) continue;
    const end = last.index + last.length;
    if (text.slice(run.index, end).includes("\n\n")) continue;
    plain += text.slice(done, run.index) + " ".repeat(end - run.index);
    done = end;
    at = closing.get(at) ?? at;
  }
  return plain + text.slice(done);
}
