import fc from "fast-check";
import { expect, it } from "vitest";
import { packVarints, unpackVarints } from "../../search/sqlite/postings.ts";

const numbers = fc.array(fc.oneof(fc.nat({ max: 300 }), fc.nat()), { maxLength: 30 });

it("packs numbers, small ones in one byte", () => {
  expect(packVarints([0, 127])).toEqual(Uint8Array.of(0, 127));
  expect(packVarints([128, 2 ** 31 - 1])).toEqual(Uint8Array.of(128, 1, 255, 255, 255, 255, 7));
  fc.assert(
    fc.property(numbers, (some) => {
      expect(unpackVarints(packVarints(some))).toEqual(some);
    }),
  );
});

it("reads no further than to the end of damaged bytes", () => {
  expect(unpackVarints(Uint8Array.of(200))).toEqual([72]);
});
