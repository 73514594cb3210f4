/** A value that is written out in JavaScript; undefined for anything else, such as a call or an element of JSX. */
export type Literal = string | number | boolean | undefined | readonly Literal[] | ReadonlyMap<string, Literal>;

/** Maximum nesting of lists and objects; deeper ones are not read. */
const maxDepth = 20;
const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
]);

/** The strings, numbers, lists and objects of an expression. Templates are as they are written. Linear in its length. */
export function literalOf(source: string): Literal {
  let at = 0;
  const char = (): string => source[at] ?? "";
  /** Goes beyond blanks and comments. */
  const next = (): string => {
    for (;;) {
      if (/\s/.test(char())) at++;
      else if (source.startsWith("//", at)) at = endOf("\n");
      else if (source.startsWith("/*", at)) at = endOf("*/");
      else return char();
    }
  };
  const endOf = (mark: string): number => {
    const end = source.indexOf(mark, at + 2);
    return end < 0 ? source.length : end + mark.length;
  };
  const string = (): string => {
    const quote = char();
    let text = "";
    let braces = 0;
    for (at++; at < source.length && (braces > 0 || char() !== quote); at++) {
      if (char() === "\n" && quote !== "`") break;
      if (quote === "`" && (braces > 0 ? char() === "{" : source.startsWith("${", at))) braces++;
      else if (braces > 0 && char() === "}") braces--;
      if (braces === 1 && source.startsWith("${", at)) text += source[at++];
      if (char() !== "\\" || braces > 0) text += char();
      else text += escapes.get(source[++at] ?? "") ?? char();
    }
    at++;
    return text;
  };
  const word = (): string => {
    const from = at;
    while (/[\w$.-]/.test(char())) at++;
    return source.slice(from, at);
  };
  /** Goes to the end of code that is not read. */
  const skip = (): undefined => {
    for (let open = 0; at < source.length; at++) {
      if (isQuote(char())) {
        string();
        at--;
      } else if ("([{".includes(char())) open++;
      else if (open === 0 && ",)]}".includes(char())) return;
      else if (")]}".includes(char())) open--;
    }
  };
  /** Reads up to the bracket that closes a list or object. */
  const within = (read: () => void): void => {
    for (at++; at < source.length && !")]}".includes(next());) {
      if (char() === ",") at++;
      else read();
    }
    at++;
  };
  const value = (depth: number): Literal => {
    const sign = next();
    let read: Literal;
    if (isQuote(sign)) read = string();
    else if (sign === "[" && depth < maxDepth) {
      const items: Literal[] = [];
      within(() => items.push(value(depth + 1)));
      read = items;
    } else if (sign === "{" && depth < maxDepth) {
      const entries = new Map<string, Literal>();
      within(() => {
        const key = isQuote(char()) ? string() : word();
        if (next() !== ":") return skip();
        at++;
        entries.set(key, value(depth + 1));
      });
      read = entries;
    } else {
      const name = word();
      read = name === "true" || name === "false" ? name === "true" : /^-?[\d.]+$/.test(name) ? Number(name) : undefined;
    }
    // An operator makes it something else.
    return next() === "" || ",)]}".includes(char()) ? read : skip();
  };
  return value(0);
}

function isQuote(char: string): boolean {
  return char !== "" && "\"'`".includes(char);
}
