import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGitObjects, type GitObject, type GitObjects } from "../../../activities/sources/git/objects.ts";
import { PackError } from "../../../activities/sources/git/pack-file.ts";
import { amount } from "../../support/endurance.ts";
import { createGitRepository, type GitRepository } from "../../support/git-repository.ts";

let folder: string;
let repository: GitRepository;
/** Every object of the repository, with what git says that it holds. */
let held: ReadonlyMap<string, { readonly type: string; readonly bytes: Buffer }>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lectern-objects-"));
  // A file that grows over many commits, and siblings: what git packs as differences to one another.
  const lines = Array.from(
    { length: 400 },
    (_value, at) => `line ${at} ${createHash("md5").update(`${at}`).digest("hex")}`,
  );
  const versions = Array.from({ length: 80 }, (_value, at) => `${lines.slice(0, 300 + at).join("\n")}\n${at}\n`);
  repository = await createGitRepository(join(folder, "repository"), { "a.md": versions[0] ?? "", "empty.md": "" });
  for (const [at, version] of versions.entries())
    await repository.commit({
      "a.md": version,
      [`d${at % 5}/${at}.md`]: `${version}end`,
      "b.bin": Buffer.alloc(at * 99, at),
    });
  await repository.tag("v1", { annotated: true });
  const listed = await repository.git("rev-list", "--objects", "--all");
  const oids = new Set(listed.split("\n").map((line) => line.slice(0, 40)));
  const shown = await run(["cat-file", "--batch"], [...oids].join("\n"));
  const objects = new Map<string, { type: string; bytes: Buffer }>();
  for (let at = 0; at < shown.length;) {
    const start = shown.indexOf(10, at) + 1;
    const [oid = "", type = "", size] = shown.toString("latin1", at, start - 1).split(" ");
    objects.set(oid, { type, bytes: shown.subarray(start, start + Number(size)) });
    at = start + Number(size) + 1;
  }
  held = objects;
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(args: readonly string[], input: string): Promise<Buffer> {
  const child = spawn("git", ["-C", repository.path, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(input);
  return buffer(child.stdout);
}

/** A store with these packs, each of which comes in pieces of so many bytes. */
async function storeOf(
  packs: readonly Uint8Array[],
  { piece = 5000, maxBytes = 1e9, inMemory = 0 } = {},
): Promise<GitObjects> {
  const own = await mkdtemp(join(folder, "store-"));
  const { signal } = new AbortController();
  const objects = createGitObjects({ folder: own, signal, maxBytes, inMemory });
  for (const pack of packs) {
    await objects.add(
      (async function* pieces() {
        for (let at = 0; at < pack.length; at += piece) yield pack.subarray(at, at + piece);
      })(),
    );
  }
  return objects;
}

const packOf = (...args: string[]): Promise<Buffer> =>
  run(["pack-objects", "--stdout", "--quiet", "--window=50", ...args], [...held.keys()].join("\n"));

const plain = (object: GitObject | undefined): unknown =>
  object && { ...object, bytes: Buffer.from(object.bytes ?? []) };
const whole = (oid: string): unknown => ({ ...held.get(oid), size: held.get(oid)?.bytes.length });

describe.each([
  ["differences by place", ["--delta-base-offset", "--depth=50"]],
  ["long chains of differences by place", ["--delta-base-offset", "--depth=4000", "--window=200"]],
  ["differences by id", ["--depth=50"]],
  ["long chains of differences by id", ["--depth=4000", "--window=200"]],
  ["whole objects", ["--depth=0"]],
])("a pack of %s", (_title, args) => {
  it.each([
    ["in memory", 1e9],
    ["on the disk", 0],
    ["too large for memory", 20_000],
  ])("that is %s gives every object as git has it, in whatever order they are asked for", async (_where, inMemory) => {
    const pack = await packOf(...args);
    const oids = [...held.keys()];
    const orders = [oids, oids.toReversed(), oids.toSorted()];
    for (const order of orders) {
      const objects = await storeOf([pack], { inMemory });
      for (const oid of order) expect(plain(await objects.read(oid, 1e6))).toEqual(whole(oid));
      // Asked again, and as large as the cap.
      const [first = ""] = order;
      expect(plain(await objects.read(first, held.get(first)?.bytes.length ?? 0))).toEqual(whole(first));
      expect(await objects.read("0".repeat(40), 1e6)).toBeUndefined();
    }
  });
});

it("objects are found over several packs, each in memory of its own, and larger ones than wanted are not held", async () => {
  const [oid = "", other = ""] = [...held].filter(([, { bytes }]) => bytes.length > 10_000).map(([id]) => id);
  const packs = await Promise.all([oid, other].map((one) => run(["pack-objects", "--stdout", "--quiet"], one)));
  const objects = await storeOf(packs, { piece: 7 });
  const size = held.get(oid)?.bytes.length ?? 0;
  expect(await objects.read(oid, size - 1)).toEqual({ type: "blob", size, bytes: null });
  expect(plain(await objects.read(other, 1e6))).toEqual(whole(other));
  const first = await objects.read(oid, size);
  expect(first?.bytes?.buffer.byteLength).toBe(size);
  first?.bytes?.fill(0);
  expect(plain(await objects.read(oid, size))).toEqual(whole(oid));
});

/** An entry of a pack that a test makes: an object, or a difference to an id or to an entry so many bytes before. */
interface MadeEntry {
  readonly type: "commit" | "tree" | "blob" | "tag" | { readonly id: string } | { readonly back: number };
  readonly bytes: Uint8Array;
  /** What its head says, where that is not its length. */
  readonly size?: number;
}

function entryOf({ type, bytes, size = bytes.length }: MadeEntry): Buffer {
  const isId = typeof type === "object" && "id" in type;
  const number = typeof type === "string" ? ["", "commit", "tree", "blob", "tag"].indexOf(type) : isId ? 7 : 6;
  const head = [(number << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    head[head.length - 1] = (head.at(-1) ?? 0) | 0x80;
    head.push(rest & 0x7f);
  }
  const base: number[] = [];
  if (typeof type === "object" && "back" in type) {
    let rest = type.back;
    base.push(rest & 0x7f);
    while ((rest = Math.floor(rest / 128)) > 0) base.unshift(0x80 | (--rest & 0x7f));
  }
  return Buffer.concat([
    Buffer.from([...head, ...base]),
    isId ? Buffer.from(type.id, "hex") : Buffer.alloc(0),
    deflateSync(bytes),
  ]);
}

function packWith(entries: readonly Buffer[], { count = entries.length, version = 2 } = {}): Buffer {
  const head = Buffer.alloc(12);
  head.write("PACK", 0, "latin1");
  head.writeUInt32BE(version, 4);
  head.writeUInt32BE(count, 8);
  const all = Buffer.concat([head, ...entries]);
  return Buffer.concat([all, createHash("sha1").update(all).digest()]);
}

const idOf = (type: string, bytes: Uint8Array): string =>
  createHash("sha1").update(`${type} ${bytes.length}\0`).update(bytes).digest("hex");

/** Seven bits a byte, the lowest first. */
function sizeOf(size: number): number[] {
  const bytes = [size & 0x7f];
  for (let rest = Math.floor(size / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80;
    bytes.push(rest & 0x7f);
  }
  return bytes;
}

/** A difference that puts bytes of its own behind the whole of its object. */
function appending(base: Uint8Array, end: string): Buffer {
  const own = Buffer.from(end);
  const copy = [0x80 | 0x10 | 0x20, base.length & 0xff, base.length >> 8];
  return Buffer.from([...sizeOf(base.length), ...sizeOf(base.length + own.length), ...copy, own.length, ...own]);
}

const text = Buffer.from("some text that others are made of");
const textId = idOf("blob", text);
const longer = Buffer.concat([text, Buffer.from(" and more")]);
const longest = Buffer.concat([longer, Buffer.from(" and yet more")]);

it("differences to objects that come later are made when these are there", async () => {
  const pack = packWith([
    entryOf({ type: { id: idOf("blob", longer) }, bytes: appending(longer, " and yet more") }),
    entryOf({ type: { id: textId }, bytes: appending(text, " and more") }),
    entryOf({ type: "blob", bytes: text }),
  ]);
  for (const wanted of [text, longer, longest]) {
    const objects = await storeOf([pack]);
    const size = wanted.length;
    expect(plain(await objects.read(idOf("blob", wanted), 1000))).toEqual({ type: "blob", size, bytes: wanted });
  }
  const another = await storeOf([packWith([entryOf({ type: { id: textId }, bytes: appending(text, " and more") })])]);
  expect(await another.read(idOf("blob", longer), 1000)).toBeUndefined();
});

const giant = 100_000_000;
describe("a pack that is none, or made to do harm", () => {
  it.each([
    ["is no pack", Buffer.from("not a pack at all, but long enough to be one in every way")],
    ["is of another version", packWith([entryOf({ type: "blob", bytes: text })], { version: 3 })],
    ["announces too many objects", packWith([], { count: 2_000_000 })],
    ["announces more objects than it has", packWith([entryOf({ type: "blob", bytes: longer })], { count: 2 })],
    ["is empty", Buffer.alloc(0)],
    ["has an object that is longer than it says", packWith([entryOf({ type: "blob", bytes: text, size: 5 })])],
    ["has an object that is shorter than it says", packWith([entryOf({ type: "blob", bytes: text, size: 5000 })])],
    ["has a large object that is shorter than it says", packWith([entryOf({ type: "blob", bytes: text, size: 5e7 })])],
    [
      "has a large object that is longer than it says",
      packWith([entryOf({ type: "blob", bytes: Buffer.alloc(1e7), size: 9e6 })]),
    ],
    [
      "ends behind the head of a large object",
      packWith([entryOf({ type: "blob", bytes: text, size: 5e7 }).subarray(0, 5)]),
    ],
    ["has a type that there is not", packWith([Buffer.concat([Buffer.from([0x51]), deflateSync(text)])])],
    ["has a difference to nothing", packWith([entryOf({ type: { back: 500 }, bytes: appending(text, "x") })])],
    ["has a difference to itself", packWith([entryOf({ type: { back: 0 }, bytes: appending(text, "x") })])],
    [
      "has a difference to another length",
      packWith([
        entryOf({ type: "blob", bytes: text }),
        entryOf({ type: { id: textId }, bytes: appending(longer, "x") }),
      ]),
    ],
    [
      "has a difference that copies what is not there",
      packWith([
        entryOf({ type: "blob", bytes: text }),
        entryOf({ type: { id: textId }, bytes: Buffer.from([...sizeOf(text.length), 9, 0x91, 200, 9]) }),
      ]),
    ],
    [
      "has a difference that says less than it announces",
      packWith([
        entryOf({ type: "blob", bytes: text }),
        entryOf({ type: { id: textId }, bytes: Buffer.from([...sizeOf(text.length), 9, 1, 65]) }),
      ]),
    ],
    [
      "has a difference that says more than it announces",
      packWith([
        entryOf({ type: "blob", bytes: text }),
        entryOf({ type: { id: textId }, bytes: Buffer.from([...sizeOf(text.length), 1, 2, 65, 66]) }),
      ]),
    ],
  ])("and %s is an error", async (_title, pack) => {
    for (const inMemory of [0, 1e9]) {
      const objects = await storeOf([pack], { inMemory });
      await expect(objects.read("0".repeat(40), 1e9)).rejects.toBeInstanceOf(PackError);
    }
  });

  it("and unpacks to more than it may is an error, before it is unpacked", async () => {
    const bomb = entryOf({ type: "blob", bytes: Buffer.alloc(1_000_000) });
    const pack = packWith([bomb, bomb, bomb, bomb, bomb]);
    const objects = await storeOf([pack], { maxBytes: 4_000_000 });
    await expect(objects.read(textId, 1e9)).rejects.toThrow("it unpacks to more than 4000000 bytes");
  });

  it("and has a difference too large to be made leaves the other objects as they are", async () => {
    const copies = Array.from({ length: giant / 0x10000 }, () => 0x80);
    const grown = Buffer.from([...sizeOf(0x10000), ...sizeOf(giant), ...copies]);
    const base = Buffer.alloc(0x10000, 7);
    const pack = packWith([
      entryOf({ type: "blob", bytes: base }),
      entryOf({ type: { id: idOf("blob", base) }, bytes: grown }),
      entryOf({ type: "blob", bytes: text }),
    ]);
    const objects = await storeOf([pack]);
    expect(plain(await objects.read(textId, 100))).toEqual({ type: "blob", size: text.length, bytes: text });
    // Which one it is cannot be known, only that it is larger than anybody wants.
    expect(await objects.read("1".repeat(40), 1e9)).toEqual({ type: "blob", size: giant, bytes: null });
  });

  it("breaks off wherever it is cut", async () => {
    const pack = await packOf("--delta-base-offset");
    for (let cut = 1; cut <= 30; cut += 1) {
      const objects = await storeOf([pack.subarray(0, Math.floor((pack.length * cut) / 31))]);
      await expect(objects.read("0".repeat(40), 1e6)).rejects.toMatchObject({ name: "PackError", breaksOff: true });
    }
  });

  it("gives the object that was asked for or an error, whatever bytes of it are others", async () => {
    const pack = await packOf("--delta-base-offset");
    const byId = await packOf();
    const oids = [...held.keys()];
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(fc.tuple(fc.nat(pack.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        fc.nat(oids.length - 1),
        async (which, changes, at) => {
          const changed = Buffer.from(which ? pack : byId);
          for (const [place, byte] of changes) changed[place % changed.length] = byte;
          const objects = await storeOf([changed], { maxBytes: 50_000_000, inMemory: which ? 0 : 1e9 });
          for (const oid of [oids[at] ?? "", oids[0] ?? ""]) {
            const outcome = await objects.read(oid, 1e6).then(
              (object) => (object?.bytes ? plain(object) : "nothing"),
              (error: unknown) => (error instanceof PackError ? "an error" : error),
            );
            expect([whole(oid), "nothing", "an error"]).toContainEqual(outcome);
          }
        },
      ),
      { numRuns: amount({ short: 60, long: 5000 }) },
    );
  });
});
