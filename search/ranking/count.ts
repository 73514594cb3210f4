import { searchFields } from "../../domain/ports.ts";
import type { Occurrences } from "../../domain/ports.ts";
import type { FieldTerms } from "./analyse.ts";

/** The occurrences of each of the terms in the candidates. */
export function occurrencesIn(
  candidates: readonly FieldTerms[],
  terms: Iterable<string>,
): ReadonlyMap<string, Occurrences> {
  const found = new Map(Array.from(terms, (term): [string, number[]] => [term, []]));
  for (const [candidate, fields] of candidates.entries()) {
    for (const [field, name] of searchFields.entries()) {
      for (const term of fields[name]) {
        const list = found.get(term);
        if (list === undefined) continue;
        if (list.at(-3) === candidate && list.at(-2) === field) list.push((list.pop() ?? 0) + 1);
        else list.push(candidate, field, 1);
      }
    }
  }
  return found;
}
