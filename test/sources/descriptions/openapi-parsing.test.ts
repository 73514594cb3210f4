import { expect, it } from "vitest";
import {
  createDescriptionThread,
  cutFiles,
  findReferences,
  validateFiles,
} from "../../../sources/lib/descriptions/parsing.ts";
import { pool } from "../../support/pool.ts";
import { cutDescription, type DescriptionFiles } from "../../../extract/openapi/cut.ts";
import { description } from "../openapi-description.ts";

const root = "https://acme.dev/openapi.json";
const limits = { pages: 100, bytes: 1e6 };

function filesOf(text: string): DescriptionFiles {
  return { root, base: root, files: new Map([[root, new TextEncoder().encode(text)]]) };
}

it("a thread returns for a description what this thread does", async () => {
  const thread = createDescriptionThread(pool, new AbortController().signal);
  const files = filesOf(
    description({ "/a": "Read A" }, { tags: "none", components: { schemas: { X: { $ref: "x.json" } } } }),
  );
  const warnings = await validateFiles(files);
  expect(warnings).toHaveLength(1);
  expect(await thread.validate(files)).toEqual(warnings);
  const file = { name: root, address: root, bytes: files.files.get(root) ?? new Uint8Array(), isRoot: true };
  expect(await thread.findReferences(file)).toEqual(findReferences(file));
  const { parts, ...about } = await thread.cut(files, warnings, limits);
  const pages = parts.map(({ key, url, fingerprint, bytes }) => ({ key, url, fingerprint, bytes: bytes() }));
  expect({ ...about, pages }).toEqual(cutDescription(files, warnings));
  expect(cutFiles({ files, warnings, limits })).toMatchObject(about);
  await expect(thread.cut(filesOf("a: ["), [], limits)).rejects.toMatchObject({ code: "source_invalid" });
});

it("versions that the validator does not know give no warnings", async () => {
  const valid = description({ "/a": "Read A" });
  for (const text of [
    valid,
    valid.replace("3.1.0", "3.2.0").replace("Acme", "A"),
    '{"openapi":"3.0.0","components":{}}',
  ])
    expect(await validateFiles(filesOf(text))).toEqual([]);
});
