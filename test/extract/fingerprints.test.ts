import fc from "fast-check";
import { expect, it } from "vitest";
import { countFingerprints, packFingerprints, readFingerprint } from "../../extract/fingerprints.ts";

const name = fc.base64String({ minLength: 24, maxLength: 24 }).map((text) => text.slice(0, 22));
const fingerprint = fc.record({
  digest: name,
  sameness: name,
  heading: name.map((text) => text.slice(0, 11)),
  text: name.map((text) => text.slice(0, 11)),
  examples: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  hasProse: fc.boolean(),
  hasOwnProse: fc.boolean(),
  tokens: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  releaseKey: fc.constantFrom("", "0123456789abcdefghij-_"),
});

it("gives back fingerprints as they were packed", () => {
  fc.assert(
    fc.property(fc.array(fingerprint), (fingerprints) => {
      const packed = packFingerprints(fingerprints);
      expect(countFingerprints(packed)).toBe(fingerprints.length);
      const read = fingerprints.map((_, at) => {
        const { digest, ...rest } = readFingerprint(packed, at);
        return { ...rest, digest: Buffer.from(digest).toString("latin1") };
      });
      expect(read).toEqual(fingerprints);
    }),
  );
});
