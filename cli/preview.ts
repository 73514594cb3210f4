import type { Preview } from "../api/answer-types.ts";
import { Failure } from "../domain/failures.ts";
import { createServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { printJson } from "./output.ts";
import { typedSource } from "./typed-source.ts";

/** Maximum number of printed pages of each outcome; `--json` has all. */
const maxPrinted = 20;

/** `lectern preview`: prints what submitting a source to a running server would index. */
export async function run(given: Given): Promise<void> {
  const { body, file } = await typedSource(given);
  if (file)
    throw new Failure("validation_error", "A file is uploaded as it is, and has no preview: lectern add submits it.");
  const preview = await createServerClient().json("POST", "/v2/preview", body);
  const isJson = given.given("json");
  if (isJson) printJson(preview, 2);
  else console.log(toText(preview as unknown as Preview));
}

function toText(previewed: Preview): string {
  const { libraryName, title, pages, total, waiting, notes, complete, sample, quarantined } = previewed;
  const of = (outcome: Preview["pages"][number]["outcome"]): Preview["pages"] =>
    pages.filter((page) => page.outcome === outcome);
  const read = of("read");
  const list = (name: string, lines: readonly string[]): string[] => {
    if (lines.length === 0) return [];
    const more = lines.length > maxPrinted ? [`  … and ${lines.length - maxPrinted} more`] : [];
    return ["", `${name}: ${lines.length}`, ...lines.slice(0, maxPrinted).map((line) => `  ${line}`), ...more];
  };
  const because = ({ path, reason = "" }: Preview["pages"][number]): string => `${path}  ${reason}`.trimEnd();
  return [
    `${libraryName}  ${title}`,
    `${complete ? "" : "at least "}${total} pages`,
    ...list(
      "Would be read",
      read.map(({ path }) => path),
    ),
    ...list("Found, not visited in a preview", waiting),
    ...list("Left out", of("skipped").map(because)),
    ...list("Failed", of("failed").map(because)),
    ...list("Notes", [...notes, ...pages.flatMap((page) => page.notes ?? [])]),
    ...list(
      "Passages of the first pages that would be quarantined",
      quarantined.map(({ url, findings }) => `${url}  It ${findings.map(({ meaning }) => meaning).join(", and ")}.`),
    ),
    ...(sample === "" ? [] : ["", "Of the first pages:", "", sample]),
  ].join("\n");
}
