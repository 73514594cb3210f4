import { printTable } from "../measure.ts";
import { faultKinds } from "./fault-kinds.ts";
import type { Fault, FaultKind } from "./fault-kinds.ts";
import type { Figures } from "./figures.ts";

/** What was measured of one library. */
export interface Measured {
  readonly name: string;
  readonly figures: Figures;
  readonly faults: readonly Fault[];
}

/** Prints what became of the blocks of code and of the pages. */
export function printBlocks(rows: readonly Pick<Measured, "name" | "figures">[], total: Figures): void {
  const head = ["library", "pages", "code blocks", "kept exactly", "of these included", "served elsewhere", "left out"];
  const all = rows.length > 1 ? [...rows, { name: "all", figures: total }] : rows;
  printTable([...head, "language known", "passages", "without defect"], all.map(toRow));
  console.log(`\nBlocks left out: ${listed(total.dropped)}`);
  if (total.lost.length > 0) console.log(`Lost at ${total.lost.slice(0, 20).join(", ")}`);
  console.log(`Pages left out: ${listed(total.pages)}`);
  console.log(`Defects: ${listed(total.defects)}`);
}

/** Prints how many passages have each fault, of all that are served, with examples. */
export function printFaults(measured: readonly Measured[], examples: number): void {
  const passages = measured.map(({ figures }) => figures.sums.get("passages") ?? 0);
  const rows = (Object.keys(faultKinds) as FaultKind[]).map((kind) => [
    faultKinds[kind],
    ...measured.map(({ faults }, at) => {
      const count = faults.filter((fault) => fault.kind === kind).length;
      return count === 0 ? "0" : `${count} (${share(count, passages[at] ?? 0)})`;
    }),
  ]);
  console.log("");
  printTable(["faults", ...measured.map(({ name }) => name)], [...rows, ["passages", ...passages.map(String)]]);
  for (const [kind, name] of Object.entries(faultKinds)) {
    const found = measured.flatMap(({ faults }) => faults.filter((fault) => fault.kind === kind));
    if (found.length === 0 || examples === 0) continue;
    console.log(`\n${name}:`);
    for (const { where, text } of spread(found, examples))
      console.log(`  ${where}  ${JSON.stringify(text.slice(0, 200))}`);
  }
}

/** At most `count` of all, evenly spread. */
function spread<Value>(all: readonly Value[], count: number): readonly Value[] {
  const step = Math.max(1, all.length / count);
  return Array.from({ length: Math.min(count, all.length) }, (_, at) => all[Math.floor(at * step)] as Value);
}

function toRow({ name, figures: { sums, dropped } }: Pick<Measured, "name" | "figures">): string[] {
  const sum = (of: string): number => sums.get(of) ?? 0;
  const left = [...dropped.values()].reduce((all, count) => all + count, 0);
  return [
    name,
    String(sum("pages")),
    String(sum("blocks")),
    share(sum("kept"), sum("blocks")),
    String(sum("included")),
    share(sum("elsewhere"), sum("blocks")),
    share(left, sum("blocks")),
    share(sum("known"), sum("languages")),
    String(sum("passages")),
    share(sum("sound"), sum("passages")),
  ];
}

function share(part: number, whole: number): string {
  return whole === 0 ? "-" : `${((part / whole) * 100).toFixed(2)} %`;
}

function listed(counts: ReadonlyMap<string, number>): string {
  const names = [...counts].toSorted(([, one], [, two]) => two - one).map(([name, count]) => `${name} ${count}`);
  return names.length === 0 ? "none" : names.join(", ");
}
