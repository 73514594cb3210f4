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

/** The length that four hexadecimal digits tell; 0 to 2 are marks. @throws PacketError */
function lengthOf(digits: string): number {
  const length = /^[\da-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
  if (length < 0 || length === 3) throw new PacketError("A packet is broken.");
  return length;
}
