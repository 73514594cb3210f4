/** A word of a command in pieces: literal text, and shell variables. */
export type Word = readonly (string | Variable)[];

interface Variable {
  readonly variable: string;
}

/** A word in POSIX shell syntax, quoted only if necessary. NULs are dropped, as arguments cannot contain them. */
export function quoted(word: Word): string {
  const pieces = word
    .map((piece) => (typeof piece === "string" ? piece.replaceAll("\0", "") : piece))
    .filter((piece) => piece !== "");
  const text = pieces.map((piece) => (typeof piece === "string" ? piece : "")).join("");
  const hasVariables = pieces.some((piece) => typeof piece !== "string");
  if (!hasVariables) return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  // In double quotes an interactive shell expands `!` from its history.
  if (text.includes("!"))
    return pieces.map((piece) => (typeof piece === "string" ? quoted([piece]) : `"$\{${piece.variable}}"`)).join("");
  const inside = pieces.map((piece, index) => {
    if (typeof piece === "string") return piece.replace(/["$`\\]/g, "\\$&");
    const next = pieces[index + 1];
    const braces = typeof next === "string" && /^\w/.test(next);
    return braces ? `$\{${piece.variable}}` : `$${piece.variable}`;
  });
  return `"${inside.join("")}"`;
}

/** Variables that a shell sets itself, whose values a request would send. */
const reserved =
  /^(?:PATH|CDPATH|HOME|USER|USERNAME|LOGNAME|MAIL|SHELL|PWD|OLDPWD|IFS|PS[124]|UID|EUID|PPID|LANG|LC_\w+|TERM|TZ|HOSTNAME|HOSTTYPE|OSTYPE|EDITOR|DISPLAY|RANDOM|SECONDS|LINENO|GROUPS|DIRSTACK|TMPDIR|ENV|OPTARG|OPTIND)$/;

/** The words of a name in capitals, such as CUSTOMER_ID for `customerId`. */
export function capitals(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z\d]+/g, "_")
    .replace(/^_|_$/g, "")
    .toUpperCase()
    .slice(0, 60);
}

/** The shell variable for a name. */
export function variableFor(name: string): Variable {
  const words = capitals(name);
  if (words === "") return { variable: "VALUE" };
  if (reserved.test(words)) return { variable: `${words}_VALUE` };
  return { variable: /^\d/.test(words) ? `_${words}` : words };
}
