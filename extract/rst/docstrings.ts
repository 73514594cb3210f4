import { cut, dedent, endOfIndented, indentOf, isBlank, trimBlank, type Line, type TextLines } from "./lines.ts";

/** Sections of Google and NumPy docstrings that list items, by the field that an item is. */
const lists: Readonly<Record<string, string>> = {
  args: "param",
  arguments: "param",
  parameters: "param",
  params: "param",
  "other parameters": "param",
  "keyword args": "param",
  "keyword arguments": "param",
  attributes: "attr",
  raises: "raises",
  warns: "raises",
  except: "raises",
  exceptions: "raises",
};
const texts: Readonly<Record<string, string>> = {
  returns: "returns",
  return: "returns",
  yields: "yields",
  yield: "yields",
};
const others = /^(?:examples?|notes?|references|see also|warnings?|todo|methods|usage|receives)$/i;
const numpyRule = /^-{3,}\s*$/;

/** A docstring as reStructuredText: the sections of Google's and NumPy's style become fields. */
export function readDocstringLines(lines: TextLines): TextLines {
  const out: Line[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as Line;
    const text = line.text.trim();
    const isNumpy = numpyRule.test(lines[at + 1]?.text ?? "") && indentOf(line) === 0;
    const name = (isNumpy ? text : (/^([A-Z][A-Za-z ]{2,30}):$/.exec(line.text.trimEnd())?.[1] ?? "")).toLowerCase();
    const kind = lists[name] ?? texts[name];
    if (name === "" || (kind === undefined && !others.test(name))) {
      out.push(line);
      continue;
    }
    const start = at + (isNumpy ? 2 : 1);
    const end = isNumpy ? endOfNumpy(lines, start) : endOfIndented(lines, start);
    const block = dedent(trimBlank(lines.slice(start, end)));
    if (block.length === 0) {
      out.push(line);
      continue;
    }
    const blank: Line = { ...line, text: "" };
    if (kind === undefined)
      out.push(blank, { ...line, text: `.. rubric:: ${text.replace(/:$/, "")}` }, blank, ...block, blank);
    else
      out.push(
        blank,
        ...(lists[name] === undefined
          ? field(kind, isNumpy ? [{ ...line, text: "" }, ...block] : block)
          : itemsOf(block, kind, isNumpy)),
        blank,
      );
    at = end - 1;
  }
  return out;
}

/** Index of the line where the next section of NumPy's style begins. */
function endOfNumpy(lines: TextLines, from: number): number {
  let end = from;
  while (end < lines.length && !numpyRule.test(lines[end + 1]?.text ?? "")) end++;
  return end;
}

/** A field with its text. */
function field(name: string, block: TextLines): TextLines {
  const [first, ...rest] = block;
  if (first === undefined) return [];
  return [
    { ...first, text: `:${name}: ${first.text.trim()}` },
    ...rest.map((line) => ({ ...line, text: isBlank(line) ? "" : `    ${line.text}` })),
  ];
}

/** The items of a section: `name (type): text` of Google, `name : type` with the text below of NumPy. */
function itemsOf(block: TextLines, kind: string, isNumpy: boolean): TextLines {
  const out: Line[] = [];
  for (let at = 0; at < block.length;) {
    const line = block[at] as Line;
    const end = Math.max(endOfIndented(block, at + 1), at + 1);
    const inside = dedent(block.slice(at + 1, end));
    const [, name = "", type = "", rest = ""] =
      (isNumpy
        ? /^(\*{0,2}[\w.]+(?:, ?\*{0,2}[\w.]+)*)()(?:\s{0,20}:(.*))?$/
        : /^(\*{0,2}[\w.]+)\s{0,20}(?:\(([^()]*(?:\([^()]*\)[^()]*)*)\))?:(.*)$/
      ).exec(line.text.trimEnd()) ?? [];
    if (name === "") out.push(line, ...inside.map((one) => cut(one, 0)));
    else {
      const shown = name.replaceAll("*", "\\*");
      const typed = isNumpy ? rest : type;
      const text: Line = { ...line, text: isNumpy ? "" : rest.trim() };
      if (kind === "raises") out.push(...field(`raises ${name}`, [text, ...inside]));
      else {
        out.push(...field(`${kind} ${shown}`, [text, ...inside]));
        if (typed.trim() !== "") out.push({ ...line, text: `:type ${shown}: ${typed.trim()}` });
      }
    }
    at = end;
  }
  return out;
}
