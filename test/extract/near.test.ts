import fc from "fast-check";
import { expect, it } from "vitest";
import { createNearTexts } from "../../extract/near.ts";

const signatureSize = 64;
const bytes = fc.uint8Array({ minLength: signatureSize, maxLength: signatureSize });
const toText = (signature: Uint8Array): string => Buffer.from(signature).toString("latin1");

it("finds among hundreds of texts the one that ten bytes of the signature tell apart, and none that eleven do", () => {
  const others = fc.array(bytes, { maxLength: 300 });
  const places = fc.uniqueArray(fc.nat(signatureSize - 1), { minLength: 11, maxLength: 11 });
  fc.assert(
    fc.property(others, bytes, places, fc.nat(11), (before, own, changed, count) => {
      const near = createNearTexts();
      for (const [page, signature] of [...before, own].entries()) near.take(toText(signature), page, "a");
      const other = own.slice();
      for (const place of changed.slice(0, count)) other[place] = (other[place] ?? 0) ^ 0x55;
      expect(near.take(toText(other), 1000, "a")).toBe(count <= 10);
      expect(near.take(toText(own), 1000, "b")).toBe(false);
    }),
  );
});
