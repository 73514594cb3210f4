import { mediaTypeOf, rstType } from "../../extract/formats.ts";

/** The description in the metadata of a Python package, which its index shows. */
interface PythonDescription {
  /** Text at its line numbers in the file: the lines before it are empty. */
  readonly text: string;
  /** "" for a format that is not read. */
  readonly mediaType: string;
}

/** Paths of the metadata in source distributions and wheels. */
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

/** The description in metadata: its body, or a field as older programs wrote it; undefined without one. */
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

/** The lines of a folded field without its name and indentation. */
function folded(head: readonly string[], at: number): readonly string[] {
  const following = head.slice(at + 1);
  const next = following.findIndex((line) => !/^(?:\s|\|)/.test(line));
  const continued = next < 0 ? following : following.slice(0, next);
  return [
    ...head.slice(0, at).map(() => ""),
    (head[at] ?? "").replace(/^Description:\s{0,8}/i, ""),
    ...continued.map((line) => line.replace(/^(?: {7}\||\s{1,8}|\|)/, "")),
  ];
}
