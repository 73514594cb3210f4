import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { deflateSync } from "node:zlib";
import { toLine } from "../../sources/git/packets.ts";

/** The commit of branch main on a made-up server. */
const madeUpCommit = "1".repeat(40);

/**
 * A server with a branch main that sends these pieces as the pack of every fetch. Speaks protocol 2, and protocol 1 if the client
 * does not ask for 2.
 */
export function sendsPack(pieces: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>, commit = madeUpCommit) {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const speaksTwo = request.headers["git-protocol"] !== undefined;
    if (request.method === "GET" && !speaksTwo)
      return void response.end(
        `${toLine("# service=git-upload-pack")}0000${toLine(`${commit} HEAD\0side-band-64k shallow ofs-delta`)}${toLine(`${commit} refs/heads/main`)}0000`,
      );
    if (request.method === "GET")
      return void response.end(`${toLine("version 2")}${toLine("fetch=shallow filter")}0000`);
    if (body.includes("command=ls-refs"))
      return void response.end(
        `${toLine(`${commit} HEAD symref-target:refs/heads/main`)}${toLine(`${commit} refs/heads/main`)}0000`,
      );
    response.write(speaksTwo ? toLine("packfile") : `${toLine(`shallow ${commit}`)}0000${toLine("NAK")}`);
    for await (const piece of pieces()) {
      if (response.destroyed) return;
      const length = (piece.length + 5).toString(16).padStart(4, "0");
      if (!response.write(Buffer.concat([Buffer.from(`${length}\u0001`), piece])))
        await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
    }
    response.end("0000");
  };
  return (request: IncomingMessage, response: ServerResponse): void => void answer(request, response);
}

/** Cuts a pack into pieces that fit into pkt-lines. */
export function* inPieces(pack: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < pack.length; at += 60_000) yield pack.subarray(at, at + 60_000);
}

/** An entry of a pack: a blob, or a delta to the entry a number of bytes before it (gitformat-pack). */
function packEntry(bytes: Uint8Array, back: number): Buffer {
  const head = [((back === 0 ? 3 : 6) << 4) | (bytes.length & 15)];
  for (let rest = Math.floor(bytes.length / 16); rest > 0; rest = Math.floor(rest / 128)) {
    head[head.length - 1] = (head.at(-1) ?? 0) | 0x80;
    head.push(rest & 0x7f);
  }
  const offset: number[] = back === 0 ? [] : [back & 0x7f];
  for (let rest = Math.floor(back / 128); rest > 0; rest = Math.floor(rest / 128))
    offset.unshift(0x80 | (--rest & 0x7f));
  return Buffer.concat([Buffer.from([...head, ...offset]), deflateSync(bytes)]);
}

/** The header of a pack with a number of objects. */
export function packHead(count: number): Buffer {
  const head = Buffer.alloc(12);
  head.write("PACK", 0, "latin1");
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(count, 8);
  return head;
}

/** A pack of a blob and a chain of deltas, each of which repeats its base `times` times. */
export function chainOfDeltas(base: Uint8Array, deltas: number, times: number): Buffer {
  const entries = [packEntry(base, 0)];
  for (let size = base.length, at = 0; at < deltas; at += 1) {
    const copies = Array.from({ length: times }, () => copyAll(size)).flat();
    // A distinct last byte makes it a distinct object.
    const delta = Buffer.from([...sizeOf(size), ...sizeOf(size * times + 1), ...copies, 1, at & 0xff]);
    entries.push(packEntry(delta, entries.at(-1)?.length ?? 0));
    size = size * times + 1;
  }
  const all = Buffer.concat([packHead(entries.length), ...entries]);
  return Buffer.concat([all, createHash("sha1").update(all).digest()]);
}

/** Copy instructions for the first `size` bytes, at most 16 MB each. */
function copyAll(size: number): number[] {
  const instructions: number[] = [];
  for (let from = 0; from < size; from += 0xffffff) {
    const length = Math.min(0xffffff, size - from);
    const bytes = [0, 8, 16, 24].map((shift) => Math.floor(from / 2 ** shift) & 0xff);
    instructions.push(0xff, ...bytes, length & 0xff, (length >> 8) & 0xff, length >> 16);
  }
  return instructions;
}

/** A size as 7 bits per byte, lowest first. */
function sizeOf(size: number): number[] {
  const bytes = [size & 0x7f];
  for (let rest = Math.floor(size / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80;
    bytes.push(rest & 0x7f);
  }
  return bytes;
}
