/** A server's answer in Git's protocol that is none, or says no. Its message is the server's where it said something. */
export class PacketError extends Error {
  override readonly name = "PacketError";
}

/** A packet of text (gitprotocol-common). */
export function toLine(text: string): string {
  return `${(Buffer.byteLength(text) + 5).toString(16).padStart(4, "0")}${text}\n`;
}

/** The lines of a packet stream, without the marks between them and the line feeds behind them. @throws PacketError */
export function readLines(bytes: Buffer): string[] {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = lengthOf(bytes.toString("latin1", at, at + 4));
    if (at + length > bytes.length) throw new PacketError("A packet is broken.");
    if (length > 4) lines.push(bytes.toString("utf8", at + 4, at + length).replace(/\n$/, ""));
    at += Math.max(4, length);
  }
  return lines;
}

/** What a packet of an answer to `fetch` begins with: a band of gitprotocol-pack, or a letter of a line. */
const bands = { pack: 1, progress: 2, error: 3 } as const;
/** Lines that may stand before a pack, in protocol 2 and before. */
const prelude = /^(?:packfile|shallow-info|shallow |unshallow |acknowledgments|ready|NAK|ACK )/;
/** Characters of a line or of an error that are kept. */
const mostText = 1000;

/**
 * The bytes of the pack in an answer to `fetch` of any protocol version, as they come.
 * @throws PacketError where the server refuses, or its answer is none; whatever the body throws
 */
export async function* readPack(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let digits = "";
  let left = 0;
  let band: number | undefined;
  let text = "";
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length;) {
      if (left === 0) {
        const end = Math.min(at + 4 - digits.length, chunk.length);
        digits += Buffer.from(chunk.subarray(at, end)).toString("latin1");
        at = end;
        if (digits.length < 4) break;
        left = Math.max(4, lengthOf(digits)) - 4;
        [digits, band, text] = ["", undefined, ""];
      } else if (band === undefined) {
        band = chunk[at] ?? 0;
        if (band > bands.error) continue;
        at += 1;
        left -= 1;
      } else {
        const part = chunk.subarray(at, at + left);
        at += part.length;
        left -= part.length;
        if (band === bands.pack) yield part;
        else if (text.length < mostText) text += Buffer.from(part).toString("utf8");
        if (left === 0) checkText(band, text.trimEnd());
      }
    }
  }
  if (left > 0 || digits !== "") throw new PacketError("The answer breaks off in the middle of a packet.");
}

function checkText(band: number, text: string): void {
  if (band === bands.pack || band === bands.progress) return;
  if (band === bands.error) throw new PacketError(text);
  if (text.startsWith("ERR ")) throw new PacketError(text.slice("ERR ".length));
  if (!prelude.test(text)) throw new PacketError("A line of the answer is none of Git's protocol.");
}

/** The length that four hexadecimal digits tell; 0 to 2 are marks. @throws PacketError */
function lengthOf(digits: string): number {
  const length = /^[\da-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
  if (length < 0 || length === 3) throw new PacketError("A packet is broken.");
  return length;
}
