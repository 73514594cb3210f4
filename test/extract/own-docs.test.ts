import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { extract, passagesOf } from "./extract.ts";

// Otherwise a new installation would quarantine its own manual.
it("holds back nothing of the manual", () => {
  const docs = join(import.meta.dirname, "../../docs");
  const passages = globSync("{*,guides/*,reference/*,explanation/*}.md", { cwd: docs }).flatMap((path) =>
    passagesOf(extract(path, readFileSync(join(docs, path)))),
  );
  expect(passages.length).toBeGreaterThan(100);
  expect(passages.filter(({ findings }) => findings !== undefined).map(({ title }) => title)).toEqual([]);
});
