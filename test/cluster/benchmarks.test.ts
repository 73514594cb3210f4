import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { hasMeilisearch } from "../../tools/dev/meilisearch.ts";
import { hasPostgres } from "../../tools/dev/postgres.ts";
import { hasTemporal } from "../../tools/dev/temporal.ts";
import { figuresIn, runBenchmark } from "../support/benchmark.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

interface Question {
  readonly question: string;
  readonly pages: readonly { readonly path: string }[];
}

it.skipIf(!hasMeilisearch() || !hasPostgres() || !hasTemporal())("bench:cluster runs to its end", async () => {
  const printed = await runBenchmark("cluster");
  expect(figuresIn(printed), printed).not.toHaveLength(0);
  expect(printed).not.toMatch(/NaN|undefined/);
});

it.skipIf(!hasMeilisearch())("bench:both runs to its end", async () => {
  await using folder = await temporaryFolder();
  // In place of a checkout: the pages that are graded, with the words of their questions.
  const file = join(import.meta.dirname, "../../tools/bench/retrieval/short/vite.json");
  for (const { question, pages } of JSON.parse(await readFile(file, "utf8")) as readonly Question[])
    for (const { path } of pages) {
      const page = join(folder.path, "vite", path);
      await mkdir(dirname(page), { recursive: true });
      await writeFile(page, `# ${question}\n\nThis page says all there is to say.\n\n\`\`\`js\nsay();\n\`\`\`\n`);
    }
  const printed = await runBenchmark("both", ["--docs", folder.path, "--library", "vite"]);
  expect(figuresIn(printed)[0], printed).toBe("vite");
});
