import fc from "fast-check";
import { expect, it } from "vitest";
import { searchFields } from "../../domain/ports.ts";
import { occurrencesIn, readTexts } from "../../ranking/count.ts";

// "aa" and "bB" have the same hash; one term begins another, or ends it.
const term = fc.constantFrom("aa", "bB", "a", "aaa", "baa", "route", "router", "数据", "c++", "x".repeat(64));
const text = fc.array(term, { maxLength: 30 }).map((terms) => terms.join(" "));
const fields = fc.record({ title: text, breadcrumb: text, path: text, prose: text, code: text, identifiers: text });

it("finds in each field of each candidate what is asked for as whole terms", () => {
  fc.assert(
    fc.property(fc.array(fields, { maxLength: 5 }), fc.uniqueArray(term), (all, asked) => {
      const candidates = all.map(readTexts);
      const words = all.map((texts) =>
        searchFields.map((field) => texts[field].split(" ").filter((word) => word !== "")),
      );
      expect(candidates.map(({ lengths }) => lengths)).toEqual(words.map((own) => own.map(({ length }) => length)));
      const found = occurrencesIn(candidates, asked);
      for (const one of asked) {
        const expected = words.flatMap((own, candidate) =>
          own.flatMap((terms, field) => {
            const count = terms.filter((word) => word === one).length;
            return count === 0 ? [] : [candidate, field, count];
          }),
        );
        expect(found.get(one) ?? []).toEqual(expected);
      }
    }),
  );
});
