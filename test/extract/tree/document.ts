import { seededRandom } from "../../../tools/bench/measure.ts";

export const formats = ["markdown", "mdx", "html", "confluence", "adf", "notion"] as const;
export type Format = (typeof formats)[number];

/** A node of a document in no format. */
export interface Node {
  readonly type: string;
  readonly inside?: readonly Node[];
  /** Words, code, TeX, an address, or the text of a footnote. */
  readonly text?: string;
  /** Title of a callout or expandable, label of a tab, file name of code, name of a footnote. */
  readonly title?: string;
  readonly level?: number;
  readonly start?: number;
  readonly kind?: "note" | "tip" | "warning";
  readonly done?: boolean;
  /** Of a cell: its first column from 0, how many rows and columns it spans, whether it is of the header. */
  readonly column?: number;
  readonly rows?: number;
  readonly columns?: number;
  readonly head?: boolean;
}

const all = (names: string): string[] => names.split(" ");
const leaves = all("kbd codespan autolink image math note break");
const marks = all("em strong del ins sup sub link");
const blocks = all("paragraph heading list tasks quote callout expand tabs definitions table code formula figure");
/** Blocks that begin with a paragraph. */
const containers = new Set(all("item quote callout expand tab definition cell"));

const within = (kinds: string, above: string): string[] =>
  all(above).flatMap((one) => all(kinds).map((kind) => `${kind}<${one}`));

/** Nesting that no format has, or that has another meaning. */
const nowhere = [
  ...marks.map((mark) => `${mark}<${mark}`),
  ...within("autolink note image", "link"),
  ...within("sup sub note break", "sup sub"),
  ...within("del ins", "del ins"),
  ...within("break", marks.join(" ")),
  ...within("kbd autolink image math note break del ins sup sub", "heading"),
  ...within("table heading tabs expand definitions formula note caption", "cell definition"),
  ...within("tabs", "tabs"),
  ...within("note break math image", "caption"),
];

/**
 * What a format cannot say: a node, or a node in another (`table<item`). Besides nodes: marks in marks (`nested`), the `title` of a
 * callout, the `file` of code, blocks and spans in tables (`rich`).
 */
export const cannotSay: Readonly<Record<Format, readonly string[]>> = {
  // Markdown has these as HTML, which has no formulas.
  markdown: within("math", "cell definition caption"),
  // In JSX, braces are expressions.
  mdx: within("math code codespan", "cell definition caption"),
  html: [],
  confluence: [...all("tabs math formula note"), ...within(blocks.join(" "), "tasks")],
  adf: [
    ...all("tabs math formula note kbd definitions caption title file"),
    ...within(blocks.join(" "), "tasks"),
    ...within("table quote callout expand heading", "item quote callout"),
    ...within("expand", "cell"),
  ],
  notion: all("note sup sub kbd ins image caption definitions title rich"),
};

const syllables = "bdfgklmnprstvz".split("").flatMap((first) => "aeiou".split("").map((second) => first + second));

/**
 * Words by their last letter. x, j: text and code, once and in order. q: headings and labels, which may be repeated as such.
 * v: cells that are headers or span others, which may be repeated. w: footnotes. z: code in cells with its file, which may stand below.
 */
export const wordPattern = /(?<!\p{L})(?:[bdfgklmnprstvz][aeiou]){2}[xjqvwz](?!\p{L})/gu;

/** Lines of code that mean something in one of the formats. */
const odd =
  "  if (a < b && c) { d(`e`) }@# no heading@- no item\tof a list@</div>@{{ f }} ${1} &lt;g&gt;@~~~@| h | i |@$k$ *l* \\n \\\\@]]> <!-- n -->".split(
    "@",
  );

/** A table of `name=value`. */
export const table = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(text.split(" ").map((pair) => pair.split("=")));

const made = (type: string, inside: readonly Node[], more: Partial<Node> = {}): Node => ({ type, inside, ...more });
const many = <T>(length: number, make: (at: number) => T): T[] => Array.from({ length }, (_, at) => make(at));

/** A document of what all `formats` can say, beginning with its title and a paragraph. */
export function generate(seed: number, said: readonly Format[], without: readonly string[] = []): readonly Node[] {
  const random = seededRandom(seed);
  const below = (end: number): number => Math.floor(random() * end);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const cannot = new Set([...nowhere, ...without, ...said.flatMap((format) => cannotSay[format])]);
  const can = (kind: string, above: readonly string[] = []): boolean =>
    !cannot.has(kind) && !above.some((one) => cannot.has(`${kind}<${one}`));
  let [count, notes] = [0, 0];
  const words = (role: string, number = 2 + below(3)): string =>
    many(number, () => `${syllables[count % 70]}${syllables[Math.floor(count++ / 70)]}${role}`).join(" ");
  const text = (above: readonly string[]): Node => ({ type: "text", text: words(roleIn(above)) });
  const roleIn = (above: readonly string[]): string =>
    above.includes("heading") ? "q" : above.includes("repeated") ? "v" : "x";

  const inline = (type: string, above: readonly string[]): Node => {
    const role = roleIn(above);
    if (type === "codespan") return { type, text: `a_b*${words(role, 1)}*<T>{i=1}` };
    if (type === "autolink") return { type, text: `https://example.com/${words(role, 1)}` };
    if (type === "math") return { type, text: `\\sum_{i=1}^{n} ${words(role, 1)}_{k=2} x_i * y_i < 3 \\% \\\\ z` };
    if (type === "note") return { type, title: String(++notes), text: words("w", 3) };
    if (type === "break") return { type };
    return leaves.includes(type) ? { type, text: words(role) } : { type, inside: phrase([...above, type]) };
  };
  const phrase = (above: readonly string[]): Node[] => {
    const isInner = above.some((one) => marks.includes(one));
    const kinds = isInner && !can("nested") ? [] : [...leaves, ...marks].filter((kind) => can(kind, above));
    const number = kinds.length === 0 ? 0 : below(isInner ? 2 : 3);
    return [text(above), ...many(number, () => [inline(pick(kinds), above), text(above)]).flat()];
  };
  const paragraph = (above: readonly string[]): Node => made("paragraph", phrase(above));

  const tableOf = (above: readonly string[]): Node => {
    const isRich = can("rich") && below(2) === 0;
    const [width, height, spans] = [2 + below(2), 3 + below(2), isRich ? pick(["", "columns", "rows"]) : ""];
    const [row, column] = [1 + below(height - 2), below(width - 1)];
    const cell = (y: number, x: number): Node[] => {
      const at = `${y - row},${x - column}`;
      if (at === table("columns=0,1 rows=1,0")[spans]) return [];
      const isSpanning = at === "0,0" && spans !== "";
      const place = [...above, "cell", ...(isSpanning || y === 0 ? ["repeated"] : [])];
      const inside = isRich && below(2) === 0 && !place.includes("repeated") ? flow(place, 1) : [paragraph(place)];
      return [made("cell", inside, { column: x, head: y === 0, ...(isSpanning && { [spans]: 2 }) })];
    };
    const rows = many(height, (y) => made("row", many(width, (x) => cell(y, x)).flat()));
    const hasCaption = isRich && can("caption", above) && below(2) === 0;
    return made("table", hasCaption ? [made("caption", phrase([...above, "caption"])), ...rows] : rows);
  };
  const code = (above: readonly string[]): Node => {
    const role = above.includes("cell") ? "z" : "j";
    // HTML within Markdown ends at a blank line.
    const odds = role === "z" || above.includes("definition") ? odd : [...odd, ""];
    const lines = many(below(4), () => pick(odds));
    const title = can("file") && below(4) === 0 ? { title: `${words(role === "z" ? "z" : "q", 1)}.js` } : {};
    return { type: "code", text: [`${words(role, 1)}();`, ...lines, `${words(role, 1)}();`].join("\n"), ...title };
  };
  const block = (type: string, outer: readonly string[]): Node => {
    const above = [...outer, type];
    const parts = (name: string, number = 2): Node[] =>
      many(number, () => made(name, flow([...above, name], below(2)), name === "tab" ? { title: words("q", 1) } : {}));
    if (type === "paragraph") return paragraph(outer);
    if (type === "table") return tableOf(outer);
    if (type === "code") return code(outer);
    if (type === "heading") return made(type, phrase(above), { level: 2 + below(3) });
    if (type === "figure") return made(type, phrase([...above, "caption"]));
    if (type === "tabs") return made(type, parts("tab"));
    if (type === "list") return made(type, parts("item"), below(2) === 0 ? { start: 1 + below(3) * 4 } : {});
    const boxed = (one: Node): Node => ({ ...one, done: below(2) === 0 });
    if (type === "tasks") return made(type, parts("item", 1 + below(3)).map(boxed));
    const term = (): Node => paragraph([...above, "definition"]);
    const defined = ({ inside = [] }: Node): Node => made("definition", [term(), ...inside]);
    if (type === "definitions") return made(type, parts("definition").map(defined));
    if (type === "formula")
      return { type, text: `\\begin{a}\n  ${words("x", 1)}_{i=1} &= x^{2} \\\\\n  y &< *z*\n\\end{a}` };
    const hasTitle = type === "expand" || (type === "callout" && can("title") && below(2) === 0);
    const kind = pick(["note", "tip", "warning"] as const);
    return made(type, flow(above), { kind, ...(hasTitle && { title: words("q", 2) }) });
  };
  /** A paragraph with blocks below it. */
  const flow = (above: readonly string[], number = below(3)): Node[] => {
    const isDeep = above.filter((one) => containers.has(one)).length >= 4;
    const kinds = blocks.filter((kind) => can(kind, above) && (!isDeep || /^(?:paragraph|code|formula)$/.test(kind)));
    const inside = [paragraph(above)];
    for (let left = kinds.length === 0 ? 0 : number; left > 0; left -= 1) {
      const next = block(pick(kinds), above);
      if (!isWell([...inside, next, { type: "paragraph" }])) inside.push(paragraph(above));
      inside.push(next, ...(next.type === "heading" ? [paragraph(above)] : []));
    }
    return inside;
  };

  const title = made("heading", [{ type: "text", text: words("q", 2) }], { level: 1 });
  return [title, made("paragraph", [{ type: "text", text: words("x", 12) }]), ...flow([], 6)];
}

/** Whether blocks can stand one below the other in every format, and have in them what they need. */
export function isWell(nodes: readonly Node[]): boolean {
  return nodes.every(({ type, inside }, at) => {
    const next = nodes[at + 1]?.type;
    const group = (one = ""): string => (one === "tasks" ? "list" : one === "callout" ? "quote" : one);
    if (type === "heading" && (next === undefined || next === "heading")) return false;
    if (group(type) === group(next) && /^(?:list|quote|tabs|definitions|table)$/.test(group(type))) return false;
    if (inside === undefined) return type !== "break" || next === "text";
    const first = inside[0];
    if (containers.has(type) && first?.type !== "paragraph") return false;
    if (/^(?:paragraph|heading)$/.test(type) || marks.includes(type)) if (first?.type !== "text") return false;
    if (type === "definition" && inside[1]?.type !== "paragraph") return false;
    return inside.length > 0 && isWell(inside);
  });
}

/** Inline nodes with the blanks between them: none before a sign that belongs to the word before it. */
export function spaced(nodes: readonly Node[] = []): Node[] {
  return nodes.flatMap((node, at) => {
    const isTight = at === 0 || /^(?:sup|sub|note|break)$/.test(node.type) || nodes[at - 1]?.type === "break";
    return isTight ? [node] : [{ type: "text", text: " " }, node];
  });
}

/** All nodes of a type, in order. */
export function nodesOf(nodes: readonly Node[], type: string): Node[] {
  return nodes.flatMap((node) => [...(node.type === type ? [node] : []), ...nodesOf(node.inside ?? [], type)]);
}
