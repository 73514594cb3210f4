import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { temporaryFolder } from "../../../test/support/lectern-process.ts";
import type { LecternProcess } from "../../../test/support/lectern-process.ts";
import { printTable } from "../measure.ts";
import { index, pinned, startServer } from "./server.ts";

/** Half of the questions: `tune` may be used to improve Lectern, `aside` only to measure it. */
export type Half = "tune" | "aside" | "both";

/** By package: its questions, each with an expression for the path of the file that answers it, and words that the answer must have. */
const questionsShape = z.record(z.string(), z.array(z.tuple([z.string(), z.string(), z.string()])));

const answerShape = z.object({
  codeSnippets: z.array(
    z.object({
      codeId: z.string(),
      codeDescription: z.string(),
      codeList: z.array(z.object({ code: z.string() })),
    }),
  ),
  infoSnippets: z.array(z.object({ pageId: z.string(), content: z.string() })),
});

interface Result {
  readonly question: string;
  readonly half: Half;
  readonly registry: string;
  readonly isRight: boolean;
  /** Files of the answer, in its order. */
  readonly files: readonly string[];
}

/** Asks the questions, and prints how many answers have the right file and words. */
export async function printQuestions(half: Half, file: string): Promise<void> {
  const all = questionsShape.parse(JSON.parse(await readFile(file, "utf8")));
  const halves = splitHalves(Object.values(all).flatMap((own) => own.map(([question]) => question)));
  await using folder = await temporaryFolder();
  const server = await startServer(join(folder.path, "data"));
  const results: Result[] = [];
  try {
    for (const [name, questions] of Object.entries(all)) {
      const wanted = questions.filter(([question]) => half === "both" || halves.get(question) === half);
      if (wanted.length === 0) continue;
      const one = pinned(name);
      const { id, state, live } = await index(server, one);
      if (state !== "finalized" || live?.ref !== one.version)
        throw new Error(`${name} is ${state} at ${live?.ref ?? "no version"}.`);
      for (const [question, path, words] of wanted) {
        const found = await ask(server, `${id}@${one.version}`, question);
        const right = new RegExp(`^(?:${path})$`);
        results.push({
          question: `${name}: ${question}`,
          half: halves.get(question) ?? "tune",
          registry: one.registry,
          isRight: found.some((snippet) => right.test(snippet.file) && snippet.text.includes(words)),
          files: [...new Set(found.map((snippet) => snippet.file))],
        });
      }
    }
  } finally {
    await server.kill("SIGTERM");
  }
  printTable(
    ["registry", "tune: right", "aside: right"],
    [...new Set(results.map(({ registry }) => registry)), "all"].map((registry) => [
      registry,
      ...(["tune", "aside"] as const).map((which) => {
        const own = results.filter((one) => one.half === which && (registry === "all" || one.registry === registry));
        return own.length === 0 ? "" : `${own.filter(({ isRight }) => isRight).length} of ${own.length}`;
      }),
    ]),
  );
  for (const { question, files, half: own, isRight } of results)
    if (own === "tune" && !isRight) console.log(`not right: ${question} (${files.slice(0, 4).join(", ")})`);
}

/** Splits questions into halves, alternately in the order of their hashes. */
function splitHalves(questions: readonly string[]): ReadonlyMap<string, Half> {
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  const ordered = questions.toSorted((one, other) => (hash(one) < hash(other) ? -1 : 1));
  return new Map(ordered.map((question, at) => [question, at % 2 === 0 ? "tune" : "aside"]));
}

/** The snippets of an answer, each with the file that it is from. */
async function ask(
  server: LecternProcess,
  libraryId: string,
  query: string,
): Promise<readonly { readonly file: string; readonly text: string }[]> {
  const asked = new URLSearchParams({ libraryId, query, type: "json" }).toString();
  const { status, body } = await server.call("GET", `/v2/context?${asked}`);
  if (status !== 200) throw new Error(`${libraryId} was answered ${status}: ${JSON.stringify(body)}`);
  const { codeSnippets, infoSnippets } = answerShape.parse(body);
  return [
    ...codeSnippets.map(({ codeId, codeDescription, codeList }) => ({
      file: fileOf(codeId),
      text: [codeDescription, ...codeList.map(({ code }) => code)].join("\n"),
    })),
    ...infoSnippets.map(({ pageId, content }) => ({ file: fileOf(pageId), text: content })),
  ];
}

/** The path in the archive, from an address such as `…/zod-4.6.7.tgz#/README.md:10-20`. */
function fileOf(address: string): string {
  return decodeURIComponent(/#\/([^#]+?)(?::\d+-\d+)?$/.exec(address)?.[1] ?? address);
}
