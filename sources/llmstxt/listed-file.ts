import { sourceFileType } from "../../extract/formats.ts";
import type { SourceItem } from "../../domain/ports.ts";
import { readFetchedDescription, toItems } from "../lib/descriptions/fetching.ts";
import { namesItself, orRefused } from "../lib/descriptions/in-tree.ts";
import { createDescriptionThread } from "../lib/descriptions/parsing.ts";
import type { Fetched } from "../lib/pages/fetching.ts";
import { keepValidators, unreadPage } from "./reading.ts";
import type { Reading } from "./reading.ts";

/** Maximum number of lines with comments before the first key of a description. */
const maxComments = 200;

/**
 * The operations and schemas of a listed file that is an API description by its content; undefined for any other file. A broken one is
 * skipped with the reason. Validators are kept only for one that refers to no other file.
 * @throws Failure where a file that it refers to is unreachable
 */
export async function readListedDescription(
  key: string,
  { url, bytes, mediaType, validators }: Pick<Fetched, "url" | "bytes" | "mediaType" | "validators">,
  reading: Reading,
): Promise<readonly SourceItem[] | undefined> {
  const { client, pool, context } = reading;
  if (mediaType === "text/html" || !namesItself(bytes)) return undefined;
  const begins = beginsAsDescription(new TextDecoder().decode(bytes.subarray(0, 20_000)));
  if (mediaType !== sourceFileType && !begins) return undefined;
  const { signal, limits } = context;
  let refers = false;
  const cut = await orRefused(() =>
    readFetchedDescription({
      root: key,
      base: url.href,
      submitted: bytes,
      client,
      thread: createDescriptionThread(pool, signal),
      limits,
      signal,
      referred: () => {
        refers = true;
      },
    }),
  );
  if (!("code" in cut)) {
    if (!refers) keepValidators(reading, key, validators);
    return [...toItems(cut, key, context)];
  }
  return begins && mediaType === sourceFileType ? [{ type: "skipped", page: unreadPage(key), ...cut }] : undefined;
}

/** Whether a text is a JSON object, or YAML whose first key is the version of an API description. */
function beginsAsDescription(text: string): boolean {
  for (const line of text.replace(/^\uFEFF/, "").split("\n", maxComments)) {
    if (/^\s*(?:#|$)|^(?:---|%YAML)/.test(line)) continue;
    return /^\s*\{|^["']?(?:openapi|swagger)["']?\s*:/.test(line);
  }
  return false;
}
