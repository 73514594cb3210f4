import { mediaTypeOf, rstType } from "../../extract/formats.ts";

/** What a Python package says of itself in its metadata, as its index shows it. */
export interface PythonDescription {
  /** Text with the lines of the file: what stands before it is empty there. */
  readonly text: string;
  /** "" where its format is none that is read. */
  readonly mediaType: string;
}

/** Where metadata is: in a source distribution, in a wheel. */
const metadata = /^(?:PKG-INFO|[^/]{1,200}\.dist-info\/METADATA)$/;

/** Formats of the description: https://packaging.python.org/en/latest/specifications/core-metadata/ */
const formats = [
  [/^text\/markdown\b/i, mediaTypeOf("README.md")],
  [/^text\/plain\b/i, mediaTypeOf("README.txt")],
  [/^(?:text\/x-rst\b|$)/i, rstType],
] as const;

/** Whether a file of an archive is the metadata of a Python package. */
export function isPythonMetadata(path: string): boolean {
  return metadata.test(path);
}

/** The description in metadata; undefined where it has none. It is the body, or a field in what older programs wrote. */
export function pythonDescription(source: string): PythonDescription | undefined {
  const lines = source.split(/\r?\n/);
  const blank = lines.indexOf("");
  const end = blank < 0 ? lines.length : blank;
  const head = lines.slice(0, end);
  const type = head.map((line) => /^Description-Content-Type:(.{0,200})$/i.exec(line)?.[1]?.trim()).find(Boolean) ?? "";
  const [, mediaType = ""] = formats.find(([format]) => format.test(type)) ?? [];
  const field = head.findIndex((line) => /^Description:/i.test(line));
  const body = lines.slice(end);
  const isBody = body.some((line) => line.trim() !== "");
  const kept = isBody ? [...head.map(() => ""), ...body] : field < 0 ? [] : folded(head, field);
  const text = kept.join("\n");
  if (/^\s*(?:UNKNOWN\s*)?$/.test(text)) return undefined;
  return { text, mediaType };
}

/** The lines of a field that goes on over indented lines, without what makes them a field's. */
function folded(head: readonly string[], at: number): readonly string[] {
  const behind = head.slice(at + 1);
  const next = behind.findIndex((line) => !/^(?:\s|\|)/.test(line));
  const further = next < 0 ? behind : behind.slice(0, next);
  return [
    ...head.slice(0, at).map(() => ""),
    (head[at] ?? "").replace(/^Description:\s{0,8}/i, ""),
    ...further.map((line) => line.replace(/^(?: {7}\||\s{1,8}|\|)/, "")),
  ];
}
