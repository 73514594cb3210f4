import fc from "fast-check";
import { expect, it } from "vitest";
import { countMarks, packMarks, readMark } from "../../extract/marks.ts";

const name = fc.base64String({ minLength: 24, maxLength: 24 }).map((text) => text.slice(0, 22));
const mark = fc.record({
  digest: name,
  sameness: name,
  heading: name.map((text) => text.slice(0, 11)),
  text: name.map((text) => text.slice(0, 11)),
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
        const { digest, ...rest } = readMark(packed, at);
        return { ...rest, digest: Buffer.from(digest).toString("latin1") };
      });
      expect(read).toEqual(marks);
    }),
  );
});
