import { expect, it } from "vitest";
import { readDocstringLines } from "../../../extract/rst/docstrings.ts";

const converted = (text: string): string =>
  readDocstringLines(text.split("\n").map((line, index) => ({ text: line, at: index + 1 })))
    .map((line) => line.text)
    .filter((line) => line.trim() !== "")
    .join("\n");

it("turns the sections of Google's style into fields", () => {
  const text =
    "Does it.\n\nArgs:\n    by (int, optional): How far\n        to go.\n    **options: More.\n\nReturns:\n    bool: Whether.\n\nRaises:\n    ValueError: If not.\n\nExample:\n    >>> go(1)\n\nNote: not a section.";
  expect(converted(text)).toBe(
    "Does it.\n:param by: How far\n    to go.\n:type by: int, optional\n:param \\*\\*options: More.\n:returns: bool: Whether.\n:raises ValueError: If not.\n.. rubric:: Example\n>>> go(1)\nNote: not a section.",
  );
});

it("turns the sections of NumPy's style into fields", () => {
  const text =
    "Does it.\n\nParameters\n----------\nby, to : int\n    How far.\nx\n    It.\n\nReturns\n-------\nout : bool\n    Whether.\n\nExamples\n--------\n>>> go(1)\n";
  expect(converted(text)).toBe(
    "Does it.\n:param by, to: \n    How far.\n:type by, to: int\n:param x: \n    It.\n:returns: \n    out : bool\n        Whether.\n.. rubric:: Examples\n>>> go(1)",
  );
});
