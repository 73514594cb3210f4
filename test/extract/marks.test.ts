import fc from "fast-check";
import { expect, it } from "vitest";
import { countMarks, packMarks, readMark } from "../../extract/marks.ts";
import { createNearTexts, signatureSize } from "../../extract/near.ts";

const name = fc.base64String({ minLength: 24, maxLength: 24 }).map((text) => text.slice(0, 22));
const bytes = fc.uint8Array({ minLength: signatureSize, maxLength: signatureSize });
const mark = fc.record({
  digest: name,
  sameness: name,
  signature: fc.oneof(
    fc.constant(""),
    bytes.map((own) => Buffer.from(own).toString("latin1")),
  ),
  group: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  examples: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  hasProse: fc.boolean(),
  tokens: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  releaseKey: fc.constantFrom("", "0123456789abcdefghij-_"),
});

it("gives back marks as they were packed", () => {
  fc.assert(
    fc.property(fc.array(mark), (marks) => {
      const packed = packMarks(marks);
      expect(countMarks(packed)).toBe(marks.length);
      const read = marks.map((_, at) => {
        const { digest, signature, ...rest } = readMark(packed, at);
        const text = (part: Uint8Array): string => Buffer.from(part).toString("latin1");
        return { ...rest, digest: text(digest), signature: signature === undefined ? "" : text(signature) };
      });
      expect(read).toEqual(marks);
    }),
  );
});

it("finds among hundreds of texts the one that ten bytes of the signature tell apart, and none that eleven do", () => {
  const others = fc.array(bytes, { maxLength: 300 });
  const places = fc.uniqueArray(fc.nat(signatureSize - 1), { minLength: 11, maxLength: 11 });
  fc.assert(
    fc.property(others, bytes, places, fc.nat(11), (before, own, changed, count) => {
      const near = createNearTexts();
      for (const [page, signature] of [...before, own].entries()) near.take(signature, page, 1);
      const other = own.slice();
      for (const place of changed.slice(0, count)) other[place] = (other[place] ?? 0) ^ 0x55;
      expect(near.take(other, 1000, 1) >= 0).toBe(count <= 10);
      expect(near.take(own, 1000, 2)).toBe(-1);
    }),
  );
});
