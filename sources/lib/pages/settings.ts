import type { SourceSettings } from "../../../domain/source.ts";
import { asOneLine } from "../../../extract/sentences.ts";

/** Title and description of a library, on one line each and truncated; undefined if both are empty. */
export function sourceSettings(title: string, description: string): SourceSettings | undefined {
  const texts = { title: asOneLine(title).slice(0, 100), description: asOneLine(description).slice(0, 500) };
  const settings = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));
  return Object.keys(settings).length > 0 ? settings : undefined;
}
