/**
 * Text in one line, as names, titles and descriptions are: white space and control characters, NUL among them, are single
 * spaces, and there is none at its ends. They could feign other lines, and PostgreSQL keeps no NUL.
 */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
