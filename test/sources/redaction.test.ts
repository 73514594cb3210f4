import fc from "fast-check";
import { expect, it } from "vitest";
import { createRedaction } from "../../sources/redaction.ts";
import { Failure } from "../../domain/failures.ts";

const token = "hunter2/hunter+2";

it("removes a token, with or without its user, URL-encoded too, in any case", () => {
  const { text, isIn } = createRedaction([`reader:${token}`]);
  for (const form of [token, encodeURIComponent(token), token.toUpperCase(), `reader:${token}`]) {
    expect(text(`It said ${form}.`)).toMatch(/^It said (?:reader:)?\*\*\*\.$/);
    expect(isIn(`a ${form} b`)).toBe(true);
  }
  expect(text("It said nothing.")).toBe("It said nothing.");
  expect(isIn("nothing")).toBe(false);
});

it("removes base64 of texts with the token, except for characters shared with its neighbours", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (before, after) => {
      for (const encoding of ["base64", "base64url"] as const) {
        const encoded = Buffer.from(`${before}${token}${after}`).toString(encoding);
        const struck = createRedaction([token]).text(encoded);
        const rest = Buffer.from(struck.replace("***", ""), encoding).toString("latin1");
        expect(struck).toContain("***");
        expect(rest).not.toContain("hunter");
      }
    }),
  );
});

it("removes the start of a token at the end of a cut text", () => {
  const { text } = createRedaction([token]);
  expect(text(`fatal: ${token.slice(0, 12)}`)).toBe("fatal: ***");
  expect(text("fatal: hunt")).toBe("fatal: hunt");
});

it("removes a token from an error and all that it holds, and keeps the error itself", () => {
  const inner = Object.assign(new Error(`inner ${token}`), { lines: [`remote: ${token}`], socket: { token } });
  const cause = new AggregateError([inner], `all of ${token}`);
  const failure = new Failure("source_invalid", `It said ${token}.`, { cause });
  Object.assign(inner, { failure });
  const struck = createRedaction([token]).error(failure);
  expect(struck).toBe(failure);
  expect(struck).toMatchObject({ code: "source_invalid", message: "It said ***." });
  expect(cause.message).toBe("all of ***");
  expect(inner).toMatchObject({ message: "inner ***", lines: ["remote: ***"], socket: { token: "***" } });
  for (const { stack } of [failure, cause, inner]) expect(stack).not.toContain("hunter2");
});

it("leaves everything as it is without a secret", () => {
  const { text, error, isIn } = createRedaction([]);
  expect([text("a"), error("b"), isIn("")]).toEqual(["a", "b", false]);
});
