import { plain } from "./prose-text.ts";
import { toText } from "./values.ts";
import type { JsonObject } from "./values.ts";

/** Maximum length of a summary or description that is looked at, in characters. */
const maxText = 1000;
/** A description that begins with the word, has it before what to use instead, or says it of the whole operation. */
const isWholeDeprecated =
  /^\W{0,8}(?:note\W{1,4})?deprecated\b|\bdeprecated:|\bthis (?:[a-z]{1,20} )?(?:api|call|endpoint|function|method|operation|request|resource|route) (?:is|was|has been)(?: now)? (?:deprecated|obsolete)\b/i;

/**
 * Whether an operation is deprecated: as `deprecated` says, an extension whose name or value says so (`x-deprecated`,
 * `x-status: deprecated`), or its summary or description in words.
 */
export function isDeprecated(operation: JsonObject): boolean {
  if (typeof operation["deprecated"] === "boolean" && operation["deprecated"]) return true;
  const isMarked = Object.entries(operation).some(([name, value]) => {
    if (!name.startsWith("x-")) return false;
    if (/deprecat/i.test(name)) return value !== false && value !== null && value !== "" && value !== "false";
    return typeof value === "string" && /^deprecated$/i.test(value);
  });
  return (
    isMarked ||
    /\bdeprecated\b/i.test(toText(operation["summary"]).slice(0, maxText)) ||
    isWholeDeprecated.test(plain(toText(operation["description"]).slice(0, maxText)))
  );
}
