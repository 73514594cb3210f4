import type { Preview } from "../api/answer-types.ts";
import { Failure } from "../domain/failures.ts";
import { leftOutOf } from "../domain/generation.ts";
import { createServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { printJson } from "./output.ts";
import { typedSource } from "./source-argument.ts";

/** Maximum number of printed pages per outcome; `--json` prints all. */
const maxPrinted = 20;

/** `lectern preview`: prints what submitting a source to a running server would index. */
export async function run(given: Given): Promise<void> {
  const { body, file } = await typedSource(given);
  if (file) throw new Failure("validation_error", "Files have no preview. Submit it with lectern add.");
  const preview = await createServerClient().json("POST", "/v2/preview", body);
  if (given.given("json")) printJson(preview, 2);
  else console.log(toText(preview as unknown as Preview));
}

function toText(previewed: Preview): string {
  const { libraryName, title, pages, total, waiting, notes, complete, sample, quarantined } = previewed;
  const withOutcome = (outcome: Preview["pages"][number]["outcome"]): Preview["pages"] =>
    pages.filter((page) => page.outcome === outcome);
  const list = (name: string, lines: readonly string[]): string[] => {
    if (lines.length === 0) return [];
    const more = lines.length > maxPrinted ? [`  … and ${lines.length - maxPrinted} more`] : [];
    return ["", `${name}: ${lines.length}`, ...lines.slice(0, maxPrinted).map((line) => `  ${line}`), ...more];
  };
  const withReason = ({ path, reason = "" }: Preview["pages"][number]): string => `${path}  ${reason}`.trimEnd();
  return [
    `${libraryName}  ${title}`,
    `${complete ? "" : "at least "}${total} pages`,
    ...list(
      "Would be read",
      withOutcome("read").map(({ path, dropped }) => `${path}  ${leftOutOf(dropped)}`.trimEnd()),
    ),
    ...list("Found, not visited in a preview", waiting),
    ...list("Left out", withOutcome("skipped").map(withReason)),
    ...list("Failed", withOutcome("failed").map(withReason)),
    ...list("Notes", [...notes, ...pages.flatMap((page) => page.notes ?? [])]),
    ...list(
      "Passages of the first pages that would be quarantined",
      quarantined.map(({ url, findings }) => `${url}  It ${findings.map(({ meaning }) => meaning).join(", and ")}.`),
    ),
    ...(sample === "" ? [] : ["", "Of the first pages:", "", sample]),
  ].join("\n");
}
