import { cutDescription, type DescriptionFiles } from "../../../extract/openapi/cut.ts";
import { openApiPartType } from "../../../extract/formats.ts";
import { extractPage, formatOf } from "../../../extract/index.ts";
import type { ExtractedCode, ExtractedExample, ExtractedPassage } from "../../../extract/page.ts";
import { examplesOf, passagesOf, proseOf } from "../extract.ts";

const encoder = new TextEncoder();

/** Address of the descriptions of tests. */
export const root = "https://acme.dev/openapi.json";

/** The files of a description, given as text or as a value, and further files by name. */
export function filesOf(description: unknown, others: Readonly<Record<string, unknown>> = {}): DescriptionFiles {
  const toBytes = (one: unknown) => encoder.encode(typeof one === "string" ? one : JSON.stringify(one, null, 2));
  const more = Object.entries(others).map(([name, one]) => [new URL(name, root).href, toBytes(one)] as const);
  return { root, base: root, files: new Map([[root, toBytes(description)], ...more]) };
}

/** The extraction of a page. */
export interface Extracted {
  readonly key: string;
  readonly url: string;
  readonly passages: readonly ExtractedPassage[];
  readonly examples: readonly ExtractedExample[];
  /** All prose. */
  readonly prose: string;
  readonly codes: readonly ExtractedCode[];
  readonly notes: readonly string[];
}

/** Cuts a description and extracts from all of its pages; their keys are without the file's address. */
export async function extractAll(files: DescriptionFiles, warnings: readonly string[] = []): Promise<Extracted[]> {
  const format = await formatOf(openApiPartType);
  return cutDescription(files, warnings).pages.map(({ key, url, bytes }) => {
    const result = extractPage({ path: key, mediaType: openApiPartType, bytes }, format);
    const examples = examplesOf(result);
    return {
      key: decodeURIComponent(key.replace(root, "")),
      url,
      passages: passagesOf(result),
      examples,
      prose: proseOf(result).join("\n").trim(),
      codes: examples.flatMap(({ codes }) => codes),
      notes: result.notes ?? [],
    };
  });
}

/** The page of a key. */
export async function pageOf(description: unknown, key: string, others?: Readonly<Record<string, unknown>>) {
  const pages = await extractAll(filesOf(description, others));
  const match = pages.find((page) => page.key === key);
  if (match === undefined) throw new Error(`${key} is not among ${pages.map((page) => page.key).join(", ")}.`);
  return match;
}

/** A description with these paths. */
export function describing(paths: object, others: object = {}): object {
  const info = { title: "Acme API", version: "1" };
  return { openapi: "3.1.0", info, servers: [{ url: "https://api.acme.dev/v1" }], paths, ...others };
}
