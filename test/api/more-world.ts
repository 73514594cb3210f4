import { expect } from "vitest";
import type { ReadPage } from "../../api/answer-types.ts";
import type { Passage } from "../../domain/passage.ts";
import { proseOf } from "../support/outlined.ts";
import { setup } from "./setup.ts";

/** The sentence above the places. */
export const introduction = "Not shown above, or in part; read-page (`lectern read`) reads each of these:";

/** The JSON form of an answer. */
interface Answer {
  readonly more?: readonly {
    readonly page: string;
    readonly section?: string;
    readonly title: string;
    readonly tokens: number;
  }[];
  readonly notes?: readonly string[];
}

/** A server with a library of these passages, and functions that ask it. */
export async function asking(passages: readonly Passage[]) {
  const world = await setup({ rateLimitAnonymous: 100_000 });
  const run = await world.submit("/acme/widgets");
  await world.finish(run, passages);
  const send = (path: string, query: object) =>
    world.send("GET", `/v2/${path}?${new URLSearchParams({ libraryId: "/acme/widgets", ...query }).toString()}`, {
      key: null,
    });
  return {
    ...world,
    run,
    async ask(query: object = {}) {
      const { status, body } = await send("context", { query: "something", ...query });
      expect(status).toBe(200);
      return body as string;
    },
    async json(query: object = {}) {
      const { status, body } = await send("context", { query: "something", type: "json", ...query });
      expect(status).toBe(200);
      return body as Answer;
    },
    /** A page in JSON; undefined if there is none. */
    async page(page: string, section?: string) {
      const { status, body } = await send("page", {
        page,
        ...(section !== undefined && { section }),
        type: "json",
        tokens: 100_000,
      });
      return status === 200 ? (body as ReadPage) : undefined;
    },
  };
}

/** The parts of an answer in text form: what is shown, and the lines of the map, without those on what is held back. */
export function partsOf(text: string): {
  readonly shown: string;
  readonly map: string;
  readonly lines: readonly string[];
} {
  const at = text.indexOf(introduction);
  if (at < 0) return { shown: text, map: "", lines: [] };
  const lines = text
    .slice(at)
    .split("\n")
    .filter((line) => line.startsWith("- "));
  return { shown: text.slice(0, at), map: [introduction, ...lines].join("\n"), lines };
}

/** Pages with sections that have a sentence of their own each. */
export const library = Object.fromEntries(
  Array.from({ length: 12 }, (_, page) => [
    `docs/part-${page % 3}/page ${page}.md`,
    `# Page ${page}\n\n${proseOf(`page ${page}`)}\n\n${Array.from({ length: 1 + (page % 4) * 12 }, (_section, at) => `## Part ${at} of \`${page}\`\n\n${proseOf(`part ${page}.${at}`)}`).join("\n\n")}\n`,
  ]),
);

/** The place that a line names: what stands before the colon, and its size. */
export async function placeOf(
  line: string,
  page: (name: string) => Promise<ReadPage | undefined>,
): Promise<ReadPage | undefined> {
  const parts = line
    .slice(2)
    .replace(/ \(\d+k tokens\)$/, "")
    .split(": ");
  for (const count of parts.keys()) {
    const place = await page(parts.slice(0, count + 1).join(": "));
    if (place) return place;
  }
  return undefined;
}
