import fc from "fast-check";
import { expect, it } from "vitest";
import { packVarints, readVarint, skipVarints, unpackVarints } from "../../search/sqlite/postings.ts";

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

it("reads on after skipped numbers", () => {
  fc.assert(
    fc.property(numbers, numbers, (skipped, rest) => {
      const from = { bytes: packVarints([...skipped, ...rest]), at: 0 };
      skipVarints(from, skipped.length);
      expect(rest.map(() => readVarint(from))).toEqual(rest);
      expect(from.at).toBe(from.bytes.length);
    }),
  );
});

it("reads and skips no further than to the end of damaged bytes", () => {
  const from = { bytes: Uint8Array.of(255, 255), at: 0 };
  skipVarints(from, 3);
  expect(from.at).toBe(2);
  expect(unpackVarints(Uint8Array.of(200))).toEqual([72]);
});
