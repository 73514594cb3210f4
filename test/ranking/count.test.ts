import fc from "fast-check";
import { expect, it } from "vitest";
import { searchFields } from "../../domain/ports.ts";
import { occurrencesIn } from "../../search/ranking/analyse-text.ts";

const term = fc.constantFrom("aa", "bB", "a", "aaa", "baa", "route", "router", "数据", "c++", "x".repeat(64));
const terms = fc.array(term, { maxLength: 30 });
const fields = fc.record({
  title: terms,
  breadcrumb: terms,
  path: terms,
  prose: terms,
  code: terms,
  identifiers: terms,
  subject: terms,
});

it("counts whole terms in each field of each candidate", () => {
  fc.assert(
    fc.property(fc.array(fields, { maxLength: 5 }), fc.uniqueArray(term), (all, wanted) => {
      const occurrences = occurrencesIn(all, wanted);
      for (const one of wanted) {
        const expected = all.flatMap((own, candidate) =>
          searchFields.flatMap((name, field) => {
            const count = own[name].filter((word) => word === one).length;
            return count === 0 ? [] : [candidate, field, count];
          }),
        );
        expect(occurrences.get(one)).toEqual(expected);
      }
    }),
  );
});
