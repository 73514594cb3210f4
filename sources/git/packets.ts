import { setImmediate } from "node:timers/promises";

/** A server's answer that is not in Git's protocol, or is an error. Its message is the server's where it has one. */
export class PacketError extends Error {
  override readonly name = "PacketError";
}

/** A packet of text (gitprotocol-common). */
export function toLine(text: string): string {
  return `${(Buffer.byteLength(text) + 5).toString(16).padStart(4, "0")}${text}\n`;
}

/**
 * The lines of a packet stream, without the marks between them and the line feeds behind them, a batch for each piece of it.
 * Between two of them others have their turn, however fast the pieces come. @throws PacketError
 */
export async function* readLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
    const lines: string[] = [];
    let at = 0;
    while (at + 4 <= bytes.length) {
      const length = lengthOf(bytes.toString("latin1", at, at + 4));
      if (at + length > bytes.length) break;
      if (length > 4) lines.push(bytes.toString("utf8", at + 4, at + length).replace(/\n$/, ""));
      at += Math.max(4, length);
    }
    rest = bytes.subarray(at);
    yield lines;
    await setImmediate();
  }
  if (rest.length > 0) throw new PacketError("A packet is broken.");
}

/** Bytes in pieces of about a thousand lines. */
export async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceSize) yield bytes.subarray(at, at + pieceSize);
}

const pieceSize = 65_536;

/** The length that four hexadecimal digits tell; 0 to 2 are marks. @throws PacketError */
function lengthOf(digits: string): number {
  const length = /^[\da-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
  if (length < 0 || length === 3) throw new PacketError("A packet is broken.");
  return length;
}
