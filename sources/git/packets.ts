import { setImmediate } from "node:timers/promises";

/** A response that does not follow Git's protocol. */
export class PacketError extends Error {
  override readonly name = "PacketError";
}

/** An error message of a server in place of the requested objects. */
export class ServerError extends Error {
  override readonly name = "ServerError";
}

/** Encodes a line as a packet (gitprotocol-common). */
export function toLine(text: string): string {
  return `${(Buffer.byteLength(text) + 5).toString(16).padStart(4, "0")}${text}\n`;
}

/**
 * Reads the packets of a stream, without flush and delimiter packets, a batch for each piece. The event loop gets a turn between two
 * batches. @throws PacketError
 */
export async function* readPackets(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Buffer[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
    const packets: Buffer[] = [];
    let at = 0;
    while (at + 4 <= bytes.length) {
      const length = lengthOf(bytes.toString("latin1", at, at + 4));
      if (at + length > bytes.length) break;
      if (length > 4) packets.push(bytes.subarray(at + 4, at + length));
      at += Math.max(4, length);
    }
    rest = bytes.subarray(at);
    yield packets;
    await setImmediate();
  }
  if (rest.length > 0) throw new PacketError("A packet is broken.");
}

/** The packets of a stream up to the first flush packet, and what came after it. @throws PacketError */
export async function splitAdvertisement(
  chunks: AsyncIterator<Buffer>,
): Promise<{ readonly advertisement: Buffer; readonly rest: Buffer }> {
  const packets: Buffer[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let size = 0;
  for (;;) {
    const { value, done } = await chunks.next();
    if (done === true) throw new PacketError("The server sent nothing, or stopped.");
    size += value.length;
    if (size > maxAdvertisement) throw new PacketError("The server has too many refs.");
    rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
    let at = 0;
    while (at + 4 <= rest.length) {
      const length = lengthOf(rest.toString("latin1", at, at + 4));
      if (at + length > rest.length) break;
      at += Math.max(4, length);
      if (length > 0) continue;
      packets.push(rest.subarray(0, at));
      return { advertisement: Buffer.concat(packets), rest: rest.subarray(at) };
    }
    packets.push(rest.subarray(0, at));
    rest = rest.subarray(at);
  }
}

/** Cap on the refs before protocol 2, in bytes. */
const maxAdvertisement = 32_000_000;

/** The packets of a stream as lines, without their line feeds. @throws PacketError; ServerError for an error packet */
export async function* readLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  for await (const packets of readPackets(pieces)) {
    const lines = packets.map((packet) => packet.toString("utf8").replace(/\n$/, ""));
    const error = lines.find((line) => line.startsWith("ERR "));
    if (error !== undefined) throw new ServerError(error.slice("ERR ".length).trim());
    yield lines;
  }
}

/** Splits bytes into pieces of about a thousand lines. */
export async function* splitIntoPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceSize) yield bytes.subarray(at, at + pieceSize);
}

const pieceSize = 65_536;

/** The length in four hexadecimal digits; 0 to 2 are packets without content. @throws PacketError */
function lengthOf(digits: string): number {
  const length = /^[\da-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
  if (length < 0 || length === 3) throw new PacketError("A packet is broken.");
  return length;
}
