import { buffer, text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { PacketError, readLines, readPack, toLine } from "../../../activities/sources/git/packets.ts";
import { outline, startGitTestbed } from "./setup.ts";

/** A packet on a band: 1 for the pack, 2 for progress, 3 for an error. */
function onBand(band: number, bytes: Uint8Array): Buffer {
  const length = (bytes.length + 5).toString(16).padStart(4, "0");
  return Buffer.concat([Buffer.from(length), Uint8Array.of(band), bytes]);
}

/** The pack out of an answer that comes in pieces of so many bytes. */
async function packOf(answer: Uint8Array, piece: number): Promise<Buffer> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < answer.length; at += piece) yield answer.subarray(at, at + piece);
  }
  return Buffer.concat(await Array.fromAsync(readPack(pieces())));
}

const parts = [Buffer.from("PACK"), Buffer.alloc(0), Buffer.from("\u0001\u0002\u0003"), Buffer.alloc(3000, 7)];
const banded = [
  onBand(2, Buffer.from("Counting\r")),
  ...parts.map((part) => onBand(1, part)),
  onBand(1, Buffer.from("end")),
];
const pack = Buffer.concat([...parts, Buffer.from("end")]);
const preludes = {
  "protocol 2": `${toLine("shallow-info")}${toLine(`shallow ${"1".repeat(40)}`)}0001${toLine("packfile")}`,
  "protocol 2 without depth": toLine("packfile"),
  "protocol 1": `${toLine(`shallow ${"1".repeat(40)}`)}0000${toLine("NAK")}`,
};

describe.each(Object.entries(preludes))("a pack in an answer of %s", (_title, prelude) => {
  it.each([1, 2, 3, 5, 7, 64, 100_000])("is read whole when it comes in pieces of %i bytes", async (piece) => {
    const answer = Buffer.concat([Buffer.from(prelude), ...banded, Buffer.from("0004"), Buffer.from("0000")]);
    expect(await packOf(answer, piece)).toEqual(pack);
  });

  it("that breaks off in a packet is an error, wherever that is", async () => {
    const answer = Buffer.concat([Buffer.from(prelude), ...banded]);
    const last = onBand(1, Buffer.from("end")).length;
    for (let missing = 1; missing < last; missing += 1)
      await expect(packOf(answer.subarray(0, answer.length - missing), 50)).rejects.toBeInstanceOf(PacketError);
  });
});

it.each([
  ["an error in front of the pack", toLine("ERR upload-pack: not our ref 1234"), "upload-pack: not our ref 1234"],
  [
    "an error beside the pack",
    Buffer.concat([onBand(1, Buffer.from("PACK")), onBand(3, Buffer.from("dead\n"))]),
    "dead",
  ],
  ["a page", "<!doctype html>", "A packet is broken."],
  ["a line of another protocol", toLine("220 ready"), "A line of the answer is none of Git's protocol."],
  ["a length that is a mark", "0003", "A packet is broken."],
])("%s is told as it is", async (_title, answer, message) => {
  for (const piece of [1, 4, 1000])
    await expect(packOf(Buffer.from(answer), piece)).rejects.toMatchObject({ name: "PacketError", message });
});

it("a line is read as it was written, its length in bytes", () => {
  const lines = ["want ü", "", "x".repeat(60_000)];
  expect(readLines(Buffer.from(`${lines.map(toLine).join("0000")}0000`))).toEqual(["want ü", "", "x".repeat(60_000)]);
  expect(() => readLines(Buffer.from("00ff too short"))).toThrow(PacketError);
});

it("what a server says against a request is quoted, in one line, without the token", async () => {
  const bed = await startGitTestbed();
  try {
    bed.server.answer("odd/says", (_request, response) =>
      response.end(toLine("ERR quota\u0007of hunter2hunter2 is used up")),
    );
    const url = `${bed.server.url}/odd/says`;
    const state = { revision: "1".repeat(40), ref: null, location: url, refs: [] };
    await expect(bed.read(bed.spec(url), state, { secret: "hunter2hunter2" })).rejects.toMatchObject({
      code: "source_invalid",
      message: expect.stringMatching(/odd\/says could not be read: quota of \*\*\* is used up\.$/),
    });
  } finally {
    await bed.close();
  }
});

it("a server that fails over words of today is asked in those of before", async () => {
  const bed = await startGitTestbed();
  try {
    const revision = "1".repeat(40);
    const asked: string[] = [];
    const capabilities = `${revision} HEAD\0side-band-64k shallow`;
    bed.server.answer("odd/old", (request, response) => {
      void text(request).then((body) => {
        asked.push(`${request.method} ${body}`);
        if (body.includes("command=fetch")) response.writeHead(500).end();
        else if (request.method === "POST") response.end(toLine("ERR the cupboard is bare"));
        else response.end(`${toLine("# service=git-upload-pack")}0000${toLine(capabilities)}0000`);
      });
    });
    const url = `${bed.server.url}/odd/old`;
    const reading = bed.read(bed.spec(url), { revision, ref: null, location: url, refs: [] });
    await expect(reading).rejects.toMatchObject({ message: expect.stringContaining("the cupboard is bare") });
    expect(asked.slice(1)).toEqual([
      "GET ",
      `POST ${toLine(`want ${revision} side-band-64k`)}${toLine("deepen 1")}0000${toLine("done")}`,
    ]);
  } finally {
    await bed.close();
  }
});

it.each(["upload-pack: not our ref", "want 2b5 not valid"])(
  "a server that says %s of documents is asked for the whole commit",
  async (words) => {
    const bed = await startGitTestbed();
    try {
      const repository = await bed.server.repository("acme/whole", { "README.md": "# Hi", "docs/a.md": "a" });
      bed.server.answer("odd/strict", (request, response) => {
        void (async () => {
          const body = await buffer(request);
          if (!body.includes("deepen 1")) return response.end(toLine(`ERR ${words}`));
          const headers = { "git-protocol": "version=2", "content-type": String(request.headers["content-type"]) };
          const answer = await fetch(`${repository.url}/git-upload-pack`, { method: "POST", headers, body });
          return response.end(await answer.bytes());
        })();
      });
      const { revision } = await bed.resolve(bed.spec(repository.url));
      const url = `${bed.server.url}/odd/strict`;
      const { items } = await bed.read(bed.spec(url), { revision, ref: "main", location: url, refs: [] });
      expect(outline(items)).toEqual({ "README.md": "# Hi", "docs/a.md": "a" });
    } finally {
      await bed.close();
    }
  },
);

it("a server that was asked in the wrong words once is asked in its own from then on", async () => {
  const bed = await startGitTestbed();
  try {
    const files = Object.fromEntries(Array.from({ length: 700 }, (_value, i) => [`${i}.md`, `page ${i}`]));
    const repository = await bed.server.repository("acme/plain", files, { filter: false });
    const spec = bed.spec(repository.url);
    const state = await bed.resolve(spec);
    bed.server.requests.length = 0;
    const { items } = await bed.read(spec, state);
    expect(outline(items)).toEqual(files);
    expect(bed.server.requests.map(({ method }) => method)).toEqual(["POST", "GET", "POST"]);
  } finally {
    await bed.close();
  }
});
