import fc from "fast-check";
import { expect, it } from "vitest";
import { searchFields } from "../../domain/ports.ts";
import type { Candidate } from "../../domain/ports.ts";
import { createTermCounter } from "../../ranking/count.ts";

// "aa" and "bB" have the same hash; one term begins another, or ends it.
const term = fc.constantFrom("aa", "bB", "a", "aaa", "baa", "route", "router", "数据", "c++", "x".repeat(64));
const text = fc.array(term, { maxLength: 30 }).map((terms) => terms.join(" "));
const fields = fc.record({ title: text, breadcrumb: text, path: text, identifiers: text, prose: text, code: text });

it("counts in each field what is asked for as whole terms, however often the candidate is counted", () => {
  fc.assert(
    fc.property(fields, fc.array(fc.uniqueArray(term, { minLength: 1 }), { maxLength: 4 }), (texts, questions) => {
      const candidate: Candidate = { id: "a", kind: "info", fields: texts, pageUrl: "https://example.com", tokens: 1 };
      for (const asked of questions) {
        const terms = asked.map((one, concept) => ({ term: one, concept, share: 0.5 }));
        const { concepts, lengths } = createTermCounter({ terms, worth: asked.map(() => 1) })(candidate);
        const words = searchFields.map((field) => texts[field].split(" ").filter((word) => word !== ""));
        expect([...lengths]).toEqual(words.map(({ length }) => length));
        const counted = words.flatMap((all) => asked.map((one) => all.filter((word) => word === one).length / 2));
        expect([...concepts]).toEqual(counted);
      }
    }),
  );
});
