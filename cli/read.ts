import { withQuery } from "../api/request.ts";
import { createServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { printableJson } from "./terminal.ts";

/** `lectern read`: prints a page, or a section of it. */
export async function run(given: Given): Promise<void> {
  const [library = "", page = ""] = given.words;
  const json = given.given("json");
  const query = {
    libraryId: library,
    page,
    section: given.text("section"),
    from: given.text("from"),
    tokens: given.text("tokens"),
    type: json ? "json" : "txt",
  };
  const { status, text } = await createServerClient().text(withQuery("/v2/page", query));
  (status === 200 ? console.log : console.error)(json ? printableJson(text) : text);
  if (status !== 200) process.exitCode = 1;
}
