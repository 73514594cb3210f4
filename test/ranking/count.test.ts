import fc from "fast-check";
import { expect, it } from "vitest";
import { searchFields } from "../../domain/ports.ts";
import { occurrencesIn } from "../../search/ranking/analyse.ts";

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

it("finds in each field of each candidate what is asked for as whole terms", () => {
  fc.assert(
    fc.property(fc.array(fields, { maxLength: 5 }), fc.uniqueArray(term), (all, asked) => {
      const found = occurrencesIn(all, asked);
      for (const one of asked) {
        const expected = all.flatMap((own, candidate) =>
          searchFields.flatMap((name, field) => {
            const count = own[name].filter((word) => word === one).length;
            return count === 0 ? [] : [candidate, field, count];
          }),
        );
        expect(found.get(one)).toEqual(expected);
      }
    }),
  );
});
