import { randomUUID } from "node:crypto";
import { format, styleText } from "node:util";

/** Control characters beside line feed and tab, and explicit directional formatting (Unicode TR 9). */
// oxlint-disable-next-line no-control-regex -- these are what it matches
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Text from outside without characters that a terminal obeys. A line end of Windows becomes a line feed. */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(unprintable, "\uFFFD");
}

/** The same JSON with these characters as escapes, so that nothing is lost. */
export function printableJson(json: string): string {
  return json.replaceAll(unprintable, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Placeholder of ESC in our own colours, random so that no document can contain it. */
const own = randomUUID();
const ownSequence = new RegExp(`${own}(\\[\\d+m)`, "g");

/** A coloured text, where the terminal supports it and NO_COLOR is not set. */
export function paint(
  color: "green" | "yellow" | "red" | "gray" | "cyan",
  text: string,
  stream: NodeJS.WriteStream = process.stdout,
): string {
  return styleText(color, "\n", { stream }).replaceAll("\u001b", own).replace("\n", text);
}

/** Text as it is written: printable, with our own colours. */
function shown(text: string): string {
  return printable(text).replaceAll(ownSequence, "\u001b$1");
}

/** A stream as it was before `guardOutput`, for what moves the cursor. Text from outside has to be made printable. */
export function rawOf(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = raw.get(stream);
  // The progress bar hooks into what it writes to.
  const own = { write: { value: write, writable: true, configurable: true } };
  return write ? (Object.create(stream, own) as NodeJS.WriteStream) : stream;
}

/** What the progress bar's library writes by itself when the process ends. */
const showCursor = "\u001b[?25h";

const raw = new Map<NodeJS.WriteStream, NodeJS.WriteStream["write"]>();

/**
 * Makes whatever this process prints printable: on a terminal all that is written, else what is printed for people. What programs read
 * in a pipe, such as an export, keeps its bytes.
 */
export function guardOutput(): void {
  if (raw.size > 0) return;
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...given: readonly unknown[]) => boolean;
    raw.set(stream, write);
    if (!stream.isTTY) continue;
    stream.write = (chunk: string | Uint8Array, ...others: readonly unknown[]) => {
      const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
      return write(text === showCursor ? text : shown(text), ...others);
    };
  }
  // Once is enough: a terminal's stream does the same.
  const line = (given: readonly unknown[], { isTTY }: NodeJS.WriteStream): string =>
    `${isTTY ? format(...given) : shown(format(...given))}\n`;
  console.log = console.info = (...given) => void process.stdout.write(line(given, process.stdout));
  console.error = console.warn = (...given) => void process.stderr.write(line(given, process.stderr));
}
