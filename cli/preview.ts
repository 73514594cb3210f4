import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { typedAddress } from "../api/forms/index.ts";
import { loadConfig } from "../config.ts";
import { Failure } from "../domain/failures.ts";
import { isKind, kinds } from "../domain/kinds/index.ts";
import type { Preview } from "../domain/previewing.ts";
import { addressOf } from "./address.ts";
import { createServerClient } from "./client.ts";

/** Pages that are printed of each outcome; `--json` has all. */
const maxPrinted = 20;

/** `lectern preview`: prints what submitting a source to a running server would index. */
export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { as: { type: "string" }, branch: { type: "string" }, json: { type: "boolean", default: false } },
  });
  const [location] = positionals;
  if (location === undefined)
    throw new Failure("validation_error", "Name a source: lectern preview https://docs.example.com/guide/");
  const { as: kind, branch } = values;
  if (kind !== undefined && !isKind(kind))
    throw new Failure("validation_error", `--as takes one of ${Object.keys(kinds).join(", ")}.`);
  const typed = typedAddress((await addressOf(location)) ?? resolve(location), kind);
  if (typed === undefined) throw new Failure("validation_error", `${location} is no source that Lectern reads.`);
  const config = loadConfig(process.env);
  const body = {
    ...typed.body,
    ...(branch !== undefined && typed.fields.branch !== undefined && { [typed.fields.branch]: branch }),
  };
  const preview = await createServerClient(config, config.adminKey).json("POST", "/v2/preview", body);
  console.log(values.json ? JSON.stringify(preview, null, 2) : toText(preview as unknown as Previewed));
}

/** What the server answers. */
interface Previewed extends Pick<Preview, "pages" | "total" | "waiting" | "notes"> {
  readonly libraryName: string;
  readonly title: string;
  readonly complete: boolean;
  readonly sample: string;
  readonly quarantined: readonly { readonly url: string; readonly findings: readonly { readonly meaning: string }[] }[];
}

function toText(previewed: Previewed): string {
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
    ...list("Notes", notes),
    ...list(
      "Passages of the first pages that would be quarantined",
      quarantined.map(({ url, findings }) => `${url}  It ${findings.map(({ meaning }) => meaning).join(", and ")}.`),
    ),
    ...(sample === "" ? [] : ["", "Of the first pages:", "", sample]),
  ].join("\n");
}
