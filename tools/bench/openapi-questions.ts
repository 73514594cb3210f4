/**
 * Whether questions to large API descriptions find the operation that answers them: twenty questions to each of some that come
 * with npm packages, half of them set aside. Run it with `npm run bench:openapi-questions`.
 *
 *   --half tune|aside|both   both unless told; single questions are shown of `tune` only
 *   --folder path            where the packages are fetched to and left, for more than one run
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { answerQuestion } from "../../domain/answering.ts";
import type { AnsweringPorts, Located } from "../../domain/answering.ts";
import type { OpenApiSourceSpec } from "../../domain/kinds/openapi.ts";
import { openApiPartType } from "../../extract/formats.ts";
import { extractPage, formatOf } from "../../extract/index.ts";
import { cutDescription } from "../../extract/openapi/cut.ts";
import { toLines } from "../../extract/passage-lines.ts";
import { ranker } from "../../search/ranking/ranker.ts";
import { createSqlitePassageIndex } from "../../search/sqlite/passage-index.ts";
import { temporaryFolder } from "../../test/support/lectern-process.ts";
import { printTable } from "./measure.ts";
import { descriptions, fetchDescriptions, nameOf } from "./openapi-packages.ts";

/** Of each description the questions, with the operations that answer them. */
const questionsShape = z.record(z.string(), z.record(z.string(), z.array(z.string()).min(1)));

/** A question, and the rank of the operation that answers it: 1 is the first; Infinity: it was not found. */
interface Found {
  readonly question: string;
  readonly half: "tune" | "aside";
  readonly place: number;
  /** Method and path of what came first. */
  readonly first: string;
}

const { values } = parseArgs({ options: { half: { type: "string", default: "both" }, folder: { type: "string" } } });
const { half } = values;
if (half !== "tune" && half !== "aside" && half !== "both") throw new Error("--half is tune, aside or both.");
await using scratch = await temporaryFolder();
const all = questionsShape.parse(
  JSON.parse(await readFile(join(import.meta.dirname, "openapi-questions.json"), "utf8")),
);
const asked = descriptions.filter((one) => nameOf(one).replace(/\.json$/, "") in all);
const files = await fetchDescriptions(asked, values.folder ?? scratch.path);
const rows: string[][] = [];
const total: Found[] = [];
for (const [at, one] of asked.entries()) {
  const name = nameOf(one).replace(/\.json$/, "");
  const found = await askDescription(files[at] ?? "", Object.entries(all[name] ?? {}));
  total.push(...found);
  rows.push(toRow(name, found));
}
printTable(["description", "tune: first", "within 3", "aside: first", "within 3"], [...rows, toRow("all", total)]);
for (const { question, place, first } of total.filter(
  (one) => half !== "aside" && one.half === "tune" && one.place > 1,
))
  console.log(`tune: ${question}: place ${place}, first ${first}`);

function toRow(name: string, found: readonly Found[]): string[] {
  const shares = (["tune", "aside"] as const).flatMap((which) => {
    const own = found.filter((one) => one.half === which);
    if (half !== "both" && half !== which) return ["", ""];
    return [1, 3].map((most) => `${own.filter(({ place }) => place <= most).length} of ${own.length}`);
  });
  return [name, ...shares];
}

/** Asks as the API does: with the words of the question, over the index of one process. */
async function askDescription(
  file: string,
  questions: readonly (readonly [question: string, right: readonly string[]])[],
): Promise<readonly Found[]> {
  await using folder = await temporaryFolder();
  const url = "https://bench.example/openapi.json";
  const spec: OpenApiSourceSpec = { kind: "openapi", url, fileName: "openapi.json" };
  const { pages, title } = cutDescription({ root: url, base: url, files: new Map([[url, await readFile(file)]]) });
  const format = await formatOf(openApiPartType);
  async function* lines(): AsyncGenerator<Uint8Array> {
    for (const page of pages) {
      const result = extractPage({ path: page.key, mediaType: openApiPartType, bytes: page.bytes }, format);
      const written = toLines({ path: page.key, url: page.url }, result, { spec, revision: "r" });
      yield Buffer.from(written.map(({ line }) => `${line}\n`).join(""));
    }
  }
  const index = createSqlitePassageIndex({ folder: folder.path });
  await index.load("g", lines(), { signal: new AbortController().signal, report: () => {}, language: "" });
  // answerQuestion uses nothing else of its ports and of the library.
  const ports = { passages: index, ranker } as unknown as AnsweringPorts;
  const located = { library: { id: "/openapi/bench", title }, version: "", generation: { id: "g" } } as Located;
  const known = new Set(pages.map((page) => toOperation(page.url)));
  const unknown = questions.flatMap(([, right]) => right).find((operation) => !known.has(operation));
  if (unknown !== undefined) throw new Error(`${file} has no operation ${unknown}.`);
  const found: Found[] = [];
  const halves = splitHalves(questions.map(([question]) => question));
  for (const [question, right] of questions) {
    const { passages } = await answerQuestion(ports, located, { query: question, tokens: 5000, limit: 50 });
    const operations = [...new Set(passages.map(({ page }) => toOperation(page.url)))];
    const place = operations.findIndex((operation) => right.includes(operation)) + 1;
    const first = operations[0] ?? "nothing";
    found.push({ question, half: halves.get(question) ?? "tune", place: place === 0 ? Infinity : place, first });
  }
  await index.close();
  return found;
}

/** The halves of a description's questions: ordered by a hash of their words, alternately. */
function splitHalves(questions: readonly string[]): ReadonlyMap<string, Found["half"]> {
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  const ordered = questions.toSorted((one, other) => (hash(one) < hash(other) ? -1 : 1));
  return new Map(ordered.map((question, at) => [question, at % 2 === 0 ? "tune" : "aside"]));
}

/** Method and path of an operation by its address; of anything else its pointer. */
function toOperation(url: string): string {
  const [, pointer = ""] = url.split("#");
  const [, place, path = "", method = ""] = decodeURIComponent(pointer).split("/");
  if (place !== "paths") return `#${pointer}`;
  return `${method.toUpperCase()} ${path.replaceAll("~1", "/").replaceAll("~0", "~")}`;
}
