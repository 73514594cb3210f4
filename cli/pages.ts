import type { PageList } from "../api/answer-types.ts";
import { withQuery } from "../api/request.ts";
import { showPages } from "../api/show-pages.ts";
import { createServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { forPeople, printJson } from "./output.ts";
import { printable } from "./terminal.ts";

/** `lectern pages`: lists the pages of a library. */
export async function run(given: Given): Promise<void> {
  const [library = "", ...words] = given.words;
  const word = words.length === 0 ? undefined : words.join(" ");
  const client = createServerClient();
  const list = async (cursor?: string): Promise<PageList> => {
    const query = { libraryId: library, word, limit: "1000", cursor };
    const part = (await client.json("GET", withQuery("/v2/pages", query))) as unknown as PageList;
    if (part.next === null) return part;
    const rest = await list(part.next);
    return { ...rest, pages: [...part.pages, ...rest.pages] };
  };
  const all = await list();
  if (!forPeople(given)) for (const page of all.pages) printJson(page);
  else for (const line of showPages(all, word).split("\n")) console.log(printable(line));
}
