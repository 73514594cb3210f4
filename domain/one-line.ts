/**
 * Collapses runs of white space and control characters to a space, and trims: for names, titles and descriptions. Such
 * characters could fake further lines, and PostgreSQL cannot store NUL.
 */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
