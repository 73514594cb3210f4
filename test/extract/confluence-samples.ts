/** A block of a page, independent of format. */
export type Sample =
  | { readonly type: "paragraph"; readonly words: readonly Words[] }
  | { readonly type: "heading"; readonly level: number; readonly text: string }
  | { readonly type: "code"; readonly code: string; readonly language: string; readonly title: string }
  | { readonly type: "callout"; readonly kind: "info" | "note" | "warning" | "tip"; readonly inside: readonly Sample[] }
  | { readonly type: "expand"; readonly title: string; readonly inside: readonly Sample[] }
  | { readonly type: "layout"; readonly inside: readonly Sample[] }
  | { readonly type: "list"; readonly isOrdered: boolean; readonly items: readonly (readonly Sample[])[] }
  | {
      readonly type: "tasks";
      readonly items: readonly { readonly isDone: boolean; readonly words: readonly Words[] }[];
    }
  | { readonly type: "table"; readonly rows: readonly (readonly string[])[] }
  | { readonly type: "quote"; readonly words: readonly Words[] };

/** Words of a line. */
export interface Words {
  readonly mark: "" | "strong" | "em" | "code" | "link";
  readonly text: string;
}

const nouns =
  "anvil bellows chisel drill engine furnace gauge hammer ingot jig kiln lathe mould nail oven pump quench rivet saw tongs".split(
    " ",
  );
const verbs =
  "bends carries drives feeds heats holds joins lifts moves opens presses rolls shapes starts turns weighs".split(" ");
const languages = ["", "js", "py", "java", "bash", "yaml", "sql", "c#", "none"];

/** A deterministic generator of samples. */
export function createSampler(seed: number) {
  let state = seed >>> 0;
  /** A whole number below another (Mulberry32). */
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  };
  const one = <T>(all: readonly T[]): T => all[below(all.length)] as T;
  let number = 0;
  const sentence = (): string =>
    `The ${one(nouns)} ${(number += 1)} ${one(verbs)} the ${one(nouns)} whenever the ${one(nouns)} ${one(verbs)} it.`;
  const words = (): readonly Words[] => {
    const marks = ["", "strong", "em", "code", "link"] as const;
    const more = Array.from({ length: below(3) }, (): Words[] => [
      { mark: "", text: " Then the " },
      { mark: one(marks.slice(1)), text: `${one(nouns)} ${(number += 1)}` },
      { mark: "", text: " follows." },
    ]);
    return [{ mark: "", text: sentence() }, ...more.flat()];
  };
  const line = (): string =>
    one([
      `const ${one(nouns)} = ${below(100)} < ${below(100)} && true;`,
      `\tif (a > b) { return "&amp; <b>"; }`,
      "  indented   twice  ",
      "",
      "```not a fence",
      "~~~",
      "</ac:plain-text-body>",
      "<![CDATA[ inner ]]> tail",
      "# not a heading",
      "emoji \u{1F680} and ünïcode \\n \\\\",
      "- not: a list",
      "{{ braces }} ${1} &lt;tag&gt;",
    ]);
  const code = (): Sample => {
    const lines = [
      `${one(nouns)}_${(number += 1)}(${below(9)});`,
      ...Array.from({ length: below(6) }, line),
      `end_${number}();`,
    ];
    return {
      type: "code",
      code: lines.join("\n"),
      language: one(languages),
      title: below(4) === 0 ? `file${number}.txt` : "",
    };
  };
  const block = (depth: number, inList = false): Sample => {
    const leaf = below(depth > 2 ? 4 : 10);
    if (leaf < 2) return { type: "paragraph", words: words() };
    if (leaf < 4) return code();
    const inside = (): Sample[] => Array.from({ length: 1 + below(3) }, () => block(depth + 1));
    if (leaf === 4)
      return {
        type: "table",
        rows: Array.from({ length: 3 }, (_, row) => [0, 1].map((cell) => `${one(nouns)} ${row}${cell}`)),
      };
    if (leaf === 5)
      return {
        type: "tasks",
        items: Array.from({ length: 2 }, () => ({ isDone: below(2) === 0, words: [{ mark: "", text: sentence() }] })),
      };
    if (leaf === 6) {
      const item = (): Sample[] => [{ type: "paragraph", words: words() }, ...(below(2) === 0 ? [code()] : [])];
      return { type: "list", isOrdered: below(2) === 0, items: Array.from({ length: 2 + below(2) }, item) };
    }
    if (inList) return { type: "quote", words: words() };
    if (leaf === 7) return { type: "callout", kind: one(["info", "note", "warning", "tip"]), inside: inside() };
    if (leaf === 8) return { type: "expand", title: `More of the ${one(nouns)} ${(number += 1)}`, inside: inside() };
    return depth === 0 ? { type: "layout", inside: inside() } : { type: "quote", words: words() };
  };
  return {
    /** The blocks of a page with `count` blocks at the top level. */
    page: (count: number): readonly Sample[] =>
      Array.from({ length: count }, (_, at): Sample[] =>
        at % 6 === 0
          ? [
              { type: "heading", level: 1 + below(3), text: `About the ${one(nouns)} ${(number += 1)}` },
              { type: "paragraph", words: words() },
              block(0),
            ]
          : [block(0)],
      ).flat(),
  };
}

/** The number of blocks, nested ones included. */
export function countBlocks(samples: readonly Sample[]): number {
  return samples.reduce((sum, sample) => {
    if ("inside" in sample) return sum + 1 + countBlocks(sample.inside);
    if (sample.type === "list") return sum + 1 + sample.items.reduce((all, item) => all + countBlocks(item), 0);
    return sum + 1;
  }, 0);
}
