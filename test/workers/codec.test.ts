import { randomBytes } from "node:crypto";
import { ApplicationFailure, defaultPayloadConverter } from "@temporalio/common";
import {
  decodeArrayFromPayloads,
  decodeOptionalFailureToOptionalError,
  encodeErrorToFailure,
  encodeToPayloads,
  loadDataConverter,
} from "@temporalio/common/lib/internal-non-workflow/index.js";
import { describe, expect, it } from "vitest";
import { createDataConverter, createPayloadCodec, type PayloadKey } from "../../workers/codec.ts";

const newKey = (id: string): PayloadKey => ({ id, key: randomBytes(32) });
const toPayload = (value: unknown) => defaultPayloadConverter.toPayload(value);
const first = <T>([item]: readonly T[]): T => {
  if (item === undefined) throw new Error("The list is empty.");
  return item;
};
const text = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString("latin1");

describe("The payload codec", () => {
  it("gives back values of every encoding, byte for byte", async () => {
    const codec = createPayloadCodec([newKey("a")]);
    const values = [{ deep: ["ä", 1, null] }, "", undefined, new Uint8Array([0, 255, 7]), "x".repeat(100_000)];
    const decoded = await codec.decode(await codec.encode(values.map(toPayload)));
    expect(decoded.map((payload) => defaultPayloadConverter.fromPayload(payload))).toEqual(values);
    expect(await codec.decode(await codec.encode([]))).toEqual([]);
  });

  it("shows neither the value nor its metadata, and says which key it needs", async () => {
    const { metadata, data } = first(
      await createPayloadCodec([newKey("key-1")]).encode([
        {
          metadata: { encoding: Buffer.from("json/plain"), extra: Buffer.from("hidden") },
          data: Buffer.from('"word"'),
        },
      ]),
    );
    expect(Object.entries(metadata ?? {}).map(([name, value]) => [name, text(value)])).toEqual([
      ["encoding", "binary/encrypted"],
      ["encryption-key-id", "key-1"],
    ]);
    for (const hidden of ["word", "json", "extra", "hidden"]) expect(text(data)).not.toContain(hidden);
  });

  it("never encrypts the same value to the same bytes", async () => {
    const codec = createPayloadCodec([newKey("a")]);
    const encoded = await codec.encode(Array.from({ length: 100 }, () => toPayload("same")));
    expect(new Set(encoded.map(({ data }) => text(data?.subarray(0, 12)))).size).toBe(100);
    expect(new Set(encoded.map(({ data }) => text(data?.subarray(12)))).size).toBe(100);
  });

  it("encrypts with the first key and decrypts with any, so that keys can be changed", async () => {
    const [old, young] = [newKey("old"), newKey("young")];
    const before = await createPayloadCodec([old]).encode([toPayload("before")]);
    const both = createPayloadCodec([young, old]);
    const after = await both.encode([toPayload("after")]);
    expect(text(first(after).metadata?.["encryption-key-id"])).toBe("young");
    const decoded = await both.decode([...before, ...after]);
    expect(decoded.map((payload) => defaultPayloadConverter.fromPayload(payload))).toEqual(["before", "after"]);
  });

  it("passes through what was stored before payloads were encrypted", async () => {
    const plain = [toPayload({ plain: true }), {}, { data: Buffer.from("no metadata") }];
    expect(await createPayloadCodec([newKey("a")]).decode(plain)).toEqual(plain);
  });

  it("decrypts, but encrypts nothing, where encryption is off", async () => {
    const key = newKey("a");
    const off = createPayloadCodec([key], { encrypts: false });
    const values = [toPayload("x"), toPayload(7)];
    expect(await off.encode(values)).toEqual(values);
    const stored = await createPayloadCodec([key]).encode(values);
    expect(first(await off.decode(stored))).toEqual(first(await createPayloadCodec([key]).decode(stored)));
    expect(defaultPayloadConverter.fromPayload(first(await off.decode(stored)))).toBe("x");
  });

  it("names the key that is missing", async () => {
    const encoded = await createPayloadCodec([newKey("gone")]).encode([toPayload("x")]);
    await expect(createPayloadCodec([newKey("other")]).decode(encoded)).rejects.toMatchObject({
      name: "Failure",
      code: "internal_error",
      message:
        'A Temporal payload is encrypted with the key "gone", which is missing. Add it to ENCRYPTION_KEYS again.',
    });
  });

  it("refuses the bytes of another key under its id", async () => {
    const encoded = await createPayloadCodec([newKey("a")]).encode([toPayload("x")]);
    await expect(createPayloadCodec([newKey("a")]).decode(encoded)).rejects.toMatchObject({
      code: "internal_error",
      message: expect.stringMatching(/cannot be decrypted with the key "a": it is corrupt/) as string,
    });
  });

  it("refuses a payload that was changed in any place, or cut", async () => {
    const key = newKey("a");
    const codec = createPayloadCodec([key]);
    const payload = first(await codec.encode([toPayload("value")]));
    const data = payload.data ?? new Uint8Array();
    const changed = Array.from(data, (byte, at) => data.with(at, byte ^ 1));
    const cut = [0, 1, 11, 12, 20, 27, 28, data.length - 1].map((length) => data.subarray(0, length));
    for (const bytes of [...changed, ...cut])
      await expect(codec.decode([{ ...payload, data: bytes }])).rejects.toMatchObject({ code: "internal_error" });
  });

  it("refuses a payload under another id of the same key", async () => {
    const { key } = newKey("a");
    const codec = createPayloadCodec([
      { id: "a", key },
      { id: "b", key },
    ]);
    const payload = first(await codec.encode([toPayload("value")]));
    const renamed = { ...payload, metadata: { ...payload.metadata, "encryption-key-id": Buffer.from("b") } };
    await expect(codec.decode([renamed])).rejects.toMatchObject({ code: "internal_error" });
  });

  it("is not made without a key", () => {
    expect(() => createPayloadCodec([])).toThrow(/Set ENCRYPTION_KEYS/);
  });
});

describe("The data converter", () => {
  it("encrypts messages and stacks of failures with their causes, and gives them back", async () => {
    const converter = loadDataConverter(createDataConverter([newKey("a")]));
    const cause = new Error("an inner word");
    const error = ApplicationFailure.create({
      message: "a secret word",
      type: "timeout",
      details: [{ code: 7 }],
      cause,
    });
    const failure = await encodeErrorToFailure(converter, error);
    const stored = JSON.stringify(failure, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
    );
    for (const word of ["a secret word", "an inner word", "codec.test.ts"]) expect(stored).not.toContain(word);
    // The Web UI shows the type without the codec.
    expect(stored).toContain("timeout");
    const decoded = await decodeOptionalFailureToOptionalError(converter, failure);
    expect(decoded).toMatchObject({ message: "a secret word", type: "timeout", details: [{ code: 7 }] });
    expect(decoded?.cause).toMatchObject({ message: "an inner word" });
    expect(decoded?.stack).toContain("codec.test.ts");
  });

  it("encrypts arguments and results", async () => {
    const converter = loadDataConverter(createDataConverter([newKey("a")]));
    const payloads = await encodeToPayloads(converter, "a secret word", { n: 1 });
    expect(payloads?.map(({ data }) => text(data)).join()).not.toContain("secret");
    expect(await decodeArrayFromPayloads(converter, payloads)).toEqual(["a secret word", { n: 1 }]);
  });
});
