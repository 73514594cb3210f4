import { sourceFileType } from "../../extract/formats.ts";
import type { SourceItem } from "../../domain/ports.ts";
import { readFetchedDescription, toItems } from "../descriptions/fetching.ts";
import { namesItself, orRefused } from "../descriptions/in-tree.ts";
import { createDescriptionThread } from "../descriptions/parsing.ts";
import type { Fetched } from "../pages/fetching.ts";
import { keep, placeAt } from "./reading.ts";
import type { Reading } from "./reading.ts";

/** Most lines of remarks before the first key of a description. */
const maxRemarks = 200;

/**
 * The operations and schemas of a listed file that is an API description, by what is in it and not by its name; undefined for any
 * other file. Of a broken one the reason. One that refers to no other file is asked for conditionally the next time.
 * @throws Failure where a file that it refers to is out of reach
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
    if (!refers) keep(reading, key, validators);
    return [...toItems(cut, key, context)];
  }
  return begins && mediaType === sourceFileType ? [{ type: "skipped", page: placeAt(key), ...cut }] : undefined;
}

/** Whether the first key of a text is one with which descriptions begin, or it is an object in JSON. */
function beginsAsDescription(text: string): boolean {
  for (const line of text.replace(/^\uFEFF/, "").split("\n", maxRemarks)) {
    if (/^\s*(?:#|$)|^(?:---|%YAML)/.test(line)) continue;
    return /^\s*\{|^["']?(?:openapi|swagger)["']?\s*:/.test(line);
  }
  return false;
}
