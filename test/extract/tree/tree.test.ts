import { expect, it } from "vitest";
import type { ExtractedPassage } from "../../../extract/page.ts";
import { runs } from "../../support/endurance.ts";
import { cannotSay, formats, generate, isWell, nodesOf, wordPattern, type Format, type Node } from "./document.ts";
import { fault, passagesOf, sourceOf } from "./reading.ts";

/** What a format says otherwise than Markdown: addresses with brackets or without, delimiters of TeX, marks as a set for each word. */
const saidOtherwise: Readonly<Record<Format, readonly string[]>> = {
  markdown: [],
  mdx: ["autolink"],
  html: ["autolink", "math", "formula"],
  confluence: ["autolink"],
  adf: ["autolink", "nested"],
  notion: ["autolink", "nested"],
};

const count = runs({ short: 50, long: 2000 });

/** What passages say. What introduces code is told by its distance in lines, which not all formats have. */
function said(passages: readonly ExtractedPassage[]): unknown[] {
  return passages.map(({ title, breadcrumb, blocks }) => ({
    title,
    breadcrumb,
    blocks: blocks.map((block) =>
      block.type === "prose" ? block.markdown : block.codes.map(({ sources: _sources, ...code }) => code),
    ),
  }));
}

/** A document in a format, with what is served of it. */
function shown(format: Format, nodes: readonly Node[], variant: number): string {
  const source = sourceOf(format, nodes, variant);
  const found = JSON.stringify(said(passagesOf(format, source)), null, 1);
  return `--- ${format}, form ${variant}\n${source}\n--- served\n${found}`;
}

/** Each document with a node less, or all but one word of a text; tables keep their form. */
function* smaller(nodes: readonly Node[]): Generator<Node[]> {
  for (const [at, node] of nodes.entries()) {
    const { type, text = "", inside = [] } = node;
    if (!/^(?:cell|row)$/.test(type)) yield nodes.toSpliced(at, 1);
    for (const less of smaller(inside)) yield nodes.toSpliced(at, 1, { ...node, inside: less });
    if (type === "text" && text.includes(" "))
      yield nodes.toSpliced(at, 1, { type, text: text.split(" ", 1).join("") });
  }
}

/** The smallest document with the same kind of fault, by greedy removal below its opening. */
function shrink(nodes: readonly Node[], faultOf: (nodes: readonly Node[]) => string): readonly Node[] {
  const kindOf = (text: string): string => `${text.split(" ", 2).join(" ")} ${/\w+\)$/.exec(text)?.[0]}`;
  const [opening, kind] = [nodes.slice(0, 2), kindOf(faultOf(nodes))];
  const isLike = (body: readonly Node[]): boolean => isWell(body) && kindOf(faultOf([...opening, ...body])) === kind;
  const least = (body: readonly Node[]): readonly Node[] => {
    const next = [...smaller(body)].find(isLike);
    return next === undefined ? body : least(next);
  };
  return [...opening, ...least(nodes.slice(2))];
}

/** The smallest documents with the first kinds of faults; "" without. */
function faults(
  names: readonly Format[],
  without: readonly string[],
  faultOf: (nodes: readonly Node[], variant: number) => string,
): string {
  const smallest = new Map<string, string>();
  let failed = 0;
  for (let seed = 0; seed < count; seed += 1) {
    const [nodes, variant] = [generate(seed, names, without), seed % 3];
    if (faultOf(nodes, variant) === "") continue;
    failed += 1;
    if (failed > 8) continue;
    const least = shrink(nodes, (some) => faultOf(some, variant));
    const what = faultOf(least, variant);
    smallest.set(
      what.replace(wordPattern, "…"),
      `=== seed ${seed}: ${what}\n${names.map((name) => shown(name, least, variant)).join("\n")}`,
    );
  }
  return failed === 0 ? "" : `${failed} of ${count} documents\n\n${[...smallest.values()].join("\n\n")}`;
}

it.each(formats)("serves every node in every nesting as its source says it: %s", (format) => {
  const found = faults([format], [], (nodes, variant) => fault(format, nodes, variant));
  expect(found === "", found).toBe(true);
});

it.each(formats.slice(1))("gives the same passages of Markdown and %s", (format) => {
  const names = ["markdown", format] as const;
  const found = faults(names, saidOtherwise[format], (nodes, variant) => {
    const [one, other] = names.map((name) => JSON.stringify(said(passagesOf(name, sourceOf(name, nodes, variant)))));
    return one === other ? "" : "the passages differ";
  });
  expect(found === "", found).toBe(true);
});

it.each(formats)("has documents with every node that can be said: %s", (format) => {
  const all = Array.from({ length: 100 }, (_, seed) => generate(seed, [format])).flat();
  for (const kind of "em del sup sub kbd image math note definitions tabs caption formula figure callout".split(" "))
    expect(nodesOf(all, kind).length > 0, kind).toBe(!cannotSay[format].includes(kind));
});
