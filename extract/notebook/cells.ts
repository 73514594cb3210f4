import { stringsIn } from "../json-strings.ts";

/** A part of a text that is on one line of the file. */
interface Piece {
  readonly text: string;
  readonly line: number;
}

/** An output of code. */
interface Output {
  kind: string;
  /** The stream that it was written to. */
  stream: string;
  text: string;
}

/** A cell of a notebook. */
export interface Cell {
  kind: string;
  readonly source: Piece[];
  readonly tags: string[];
  /** The media type of a raw cell; "" if it names none. */
  type: string;
  /** The name of its own language; "" for that of the notebook. */
  language: string;
  readonly outputs: Output[];
}

/** A notebook, reduced to its texts. */
export interface Notebook {
  readonly cells: readonly Cell[];
  /** What it says of its language, the most precise first. */
  readonly languages: readonly string[];
}

/** Maximum number of cells of a notebook, and of outputs of a cell. */
const maxCells = 20_000;
const maxOutputs = 100;

/** Reads the texts of a notebook (nbformat 4, "The Notebook file format"). */
export function readCells(source: string): Notebook {
  const cells: Cell[] = [];
  const facts = new Map<string, string>();
  for (const { path, line, value } of stringsIn(source)) {
    const [top, index, field, at, name] = path;
    if (top === "metadata") facts.set(path.slice(1).join("."), value());
    if (top !== "cells" || typeof index !== "number" || index >= maxCells) continue;
    while (cells.length <= index) cells.push({ kind: "", source: [], tags: [], type: "", language: "", outputs: [] });
    const cell = cells[index];
    if (cell === undefined) continue;
    if (field === "cell_type") cell.kind = value();
    else if (field === "source") cell.source.push({ text: value(), line });
    else if (field === "metadata" && at === "tags") cell.tags.push(value());
    else if (field === "metadata" && (at === "raw_mimetype" || at === "format")) cell.type = value();
    else if (field === "metadata" && /^(?:languageId|kernelName)$/.test(String(name))) cell.language = value();
    else if (field === "outputs" && typeof at === "number" && at < maxOutputs) {
      while (cell.outputs.length <= at) cell.outputs.push({ kind: "", stream: "", text: "" });
      const output = cell.outputs[at];
      if (output === undefined) continue;
      if (name === "output_type") output.kind = value();
      else if (name === "name") output.stream = value();
      else if (name === "text" || (name === "data" && path[5] === "text/plain")) output.text += value();
    }
  }
  const names = ["language_info.name", "kernelspec.language", "kernelspec.name"];
  return { cells, languages: names.flatMap((name) => facts.get(name) ?? []) };
}

/** The text of pieces, with the line in the file of each of its lines. */
export function joined(pieces: readonly Piece[]): { readonly text: string; readonly lines: readonly number[] } {
  const lines: number[] = [];
  /** The last line has no end yet. */
  let isOpen = false;
  for (const { text, line } of pieces) {
    if (text === "") continue;
    const parts = text.split("\n");
    for (const [at, part] of parts.entries())
      if ((at > 0 || !isOpen) && (at < parts.length - 1 || part !== "")) lines.push(line);
    isOpen = parts.at(-1) !== "";
  }
  return { text: pieces.map(({ text }) => text).join(""), lines };
}
