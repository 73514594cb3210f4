import { expect } from "vitest";
import type { ApiAnswer } from "../../api/answers.ts";
import type { PageList, ReadPage } from "../../api/answer-types.ts";
import type { Passage } from "../../domain/passage.ts";
import { passagesIn, proseOf } from "../support/outlined.ts";
import { setup } from "./setup.ts";

const guide = `# Guide\n\n${proseOf("the guide")}\n\n## Proxy\n\n${proseOf("proxy")}\n\n\`\`\`js\nproxy({ secure: true });\n\`\`\`\n\n### Options\n\n${proseOf("options")}\n\n## Build\n\n${proseOf("build")}\n`;
/** The pages of the library, by their paths. */
export const texts = {
  "docs/guide.md": guide,
  "docs/api.md": `# API\n\n${proseOf("the api")}\n\n## proxyTable\n\n${proseOf("table")}\n`,
};

/** The passages of pages of Markdown, by their paths. */
export const passagesOf = (pages: Readonly<Record<string, string>>): readonly Passage[] =>
  Object.entries(pages).flatMap(([path, text]) => passagesIn(path, text));

/** A server with a library of these passages, and functions that read it without a key. */
export async function reading(
  passages: readonly Passage[] = passagesOf(texts),
  settings: Parameters<typeof setup>[0] = {},
) {
  const world = await setup({ rateLimitAnonymous: 100_000, ...settings });
  const run = await world.submit("/acme/widgets");
  await world.finish(run, passages);
  const ask = (path: string, query: object, request: object) =>
    world.send("GET", `/v2/${path}?${new URLSearchParams({ libraryId: "/acme/widgets", ...query }).toString()}`, {
      key: null,
      ...request,
    });
  const read = (query: object = {}, request = {}) => ask("page", { page: "guide.md", ...query }, request);
  const list = (query: object = {}, request = {}) => ask("pages", query, request);
  return {
    ...world,
    run,
    read,
    list,
    text: async (query: object = {}, request = {}) => textOf(await read(query, request)),
    json: async (query: object = {}) => (await read({ type: "json", ...query })).body as ReadPage,
    listed: async (query: object = {}) => (await list(query)).body as PageList,
    /** Refreshes the library. */
    async refresh(next: readonly Passage[]) {
      await world.send("POST", "/v1/refresh", { body: { libraryName: "/acme/widgets" } });
      await world.finish(world.engine.started.at(-1)?.runId ?? "", next);
    },
  };
}

function textOf({ status, body }: ApiAnswer): string {
  expect({ status, type: typeof body }).toEqual({ status: 200, type: "string" });
  return body as string;
}
