/** What a page asks of robots. */
export interface Directives {
  /** The page may be served. */
  readonly index: boolean;
  /** Its links may be followed. */
  readonly follow: boolean;
}

/** Robots that a directive is for stand before a colon; these names are directives themselves. */
const named = /^(?:max-[a-z-]+|unavailable_after)$/;

/** Reads the content of meta elements that are for us, and the header X-Robots-Tag, both in lower case. */
export function directivesOf(meta: string, header: string): Directives {
  const directives = new Set(meta.split(/[\s,]+/));
  let isOurs = true;
  for (const part of header.split(",")) {
    const [, name = "", rest = ""] = /^\s*([a-z_-]+)\s*:(.*)$/s.exec(part) ?? [];
    // A name is for all directives behind it, until the next one.
    if (name !== "" && !named.test(name)) isOurs = name === "lectern" || name === "*";
    if (isOurs) directives.add((name === "" ? part : rest).trim());
  }
  const none = directives.has("none");
  return { index: !none && !directives.has("noindex"), follow: !none && !directives.has("nofollow") };
}
