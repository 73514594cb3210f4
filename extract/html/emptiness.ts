/** Placeholder of this branch: see branch html. */
export function needsBrowser(source: string): boolean {
  const body = source
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
  return body.trim().length < 200 && /<script/i.test(source);
}
