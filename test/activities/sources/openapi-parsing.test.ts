import { expect, it, onTestFinished } from "vitest";
import {
  createDescriptionThread,
  cutFiles,
  findUnreadFiles,
  validateFiles,
} from "../../../activities/sources/openapi/parsing.ts";
import { createThreadPool } from "../../../activities/thread-pool.ts";
import type { DescriptionFiles } from "../../../extract/openapi/cut.ts";
import { description } from "./openapi-setup.ts";

const root = "https://acme.dev/openapi.json";

function filesOf(text: string): DescriptionFiles {
  return { root, base: root, files: new Map([[root, new TextEncoder().encode(text)]]) };
}

it("a thread says of a description what is said here", async () => {
  const pool = createThreadPool({ maxThreads: 1 });
  onTestFinished(() => pool.close());
  const thread = createDescriptionThread(pool, new AbortController().signal);
  const files = filesOf(
    description({ "/a": "Read A" }, { tags: "none", components: { schemas: { X: { $ref: "x.json" } } } }),
  );
  const warnings = await validateFiles(files);
  expect(warnings).toHaveLength(1);
  expect(await thread.validate(files)).toEqual(warnings);
  expect({ result: await thread.findUnread(files) }).toEqual(findUnreadFiles(files));
  expect({ result: await thread.cut(files, warnings) }).toEqual(cutFiles({ files, warnings }));
  await expect(thread.cut(filesOf("a: ["), [])).rejects.toMatchObject({ code: "source_invalid" });
});

it("what is beyond the validator says nothing", async () => {
  const valid = description({ "/a": "Read A" });
  for (const text of [
    valid,
    valid.replace("3.1.0", "3.2.0").replace("Acme", "A"),
    '{"openapi":"3.0.0","components":{}}',
  ])
    expect(await validateFiles(filesOf(text))).toEqual([]);
});
