import { screen } from "../../extract/screen.ts";

/** In one line: line feeds and what cannot be seen have no place in a name, and could feign other lines. */
export function toLine(text: string): string {
  return text
    .slice(0, 10_000)
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
}

/** True for a text that tries to command the people and agents who get to read it. */
export function isCommanding(text: string): boolean {
  const snippet = { kind: "info", title: "", description: text, breadcrumb: [], codes: [], lines: [1, 1] } as const;
  return screen(snippet).length > 0;
}
