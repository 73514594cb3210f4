import { randomUUID } from "node:crypto";
import { format, styleText } from "node:util";

/** Control characters except line feed and tab, and explicit directional formatting (Unicode TR 9). */
// oxlint-disable-next-line no-control-regex -- these are what it matches
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Removes terminal controls from untrusted text. Windows line ends become line feeds. */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(unprintable, "\uFFFD");
}

/** Escapes these characters in JSON, so that nothing is lost. */
export function printableJson(json: string): string {
  return json.replaceAll(unprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Placeholder of ESC in our own colours; random, so that no document can contain it. */
const escape = randomUUID();
const colorSequence = new RegExp(`${escape}(\\[\\d+m)`, "g");

/** Colours a text, if the terminal supports it and NO_COLOR is not set. */
export function paint(
  color: "green" | "yellow" | "red" | "gray" | "cyan",
  text: string,
  stream: NodeJS.WriteStream = process.stdout,
): string {
  return styleText(color, "\n", { stream }).replaceAll("\u001b", escape).replace("\n", text);
}

/** Printable text with our own colours. */
function shown(text: string): string {
  return printable(text).replaceAll(colorSequence, "\u001b$1");
}

/** A stream without the effect of `guardOutput`, for moving the cursor. The caller has to make untrusted text printable. */
export function rawOf(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = raw.get(stream);
  // Writable, as the progress bar replaces `write`.
  const properties = { write: { value: write, writable: true, configurable: true } };
  return write ? (Object.create(stream, properties) as NodeJS.WriteStream) : stream;
}

/** Written by the library of the progress bar when the process ends. */
const showCursor = "\u001b[?25h";

const raw = new Map<NodeJS.WriteStream, NodeJS.WriteStream["write"]>();

/**
 * Makes the output of this process printable: on a terminal everything, else what is printed with `console`. Bytes written to a pipe, such
 * as an export, stay unchanged.
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
  // On a terminal the stream itself does it.
  const line = (given: readonly unknown[], { isTTY }: NodeJS.WriteStream): string =>
    `${isTTY ? format(...given) : shown(format(...given))}\n`;
  console.log = console.info = (...given) => void process.stdout.write(line(given, process.stdout));
  console.error = console.warn = (...given) => void process.stderr.write(line(given, process.stderr));
}
