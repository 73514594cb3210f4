import { firstSentences } from "../sentences.ts";
import type { OperationPart } from "./part.ts";
import { plain } from "./prose-text.ts";

/** Maximum length of a purpose, in characters. */
const maxWords = 120;

/** Where an operation is: its method and path, or the name that it has as a webhook or callback. */
export function placeOf({ kind, method, path, callback }: OperationPart): string {
  if (kind === "path") return `${method} ${path}`;
  if (kind === "webhook") return `Webhook ${path} (${method})`;
  return `Callback ${callback?.name ?? ""} of ${callback?.of ?? ""} (${method} ${path})`;
}

/** What an operation does, in a few words: its summary, the beginning of its description, or its id. */
export function purposeOf({ summary, description, operationId }: OperationPart): string {
  const said = summary || firstSentences(plain(description), maxWords);
  return said === "" ? operationId : firstSentences(plain(said), maxWords).replace(/\.$/, "");
}
