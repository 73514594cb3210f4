/** A word of a command in pieces: text as it is, and variables that the shell fills in. */
export type Word = readonly (string | Variable)[];

export interface Variable {
  readonly variable: string;
}

/** A word as a POSIX shell reads it back, variables apart: bare where it can be, else in quotes. Text loses its NULs, which no argument can hold. */
export function quoted(word: Word): string {
  const pieces = word
    .map((piece) => (typeof piece === "string" ? piece.replaceAll("\0", "") : piece))
    .filter((piece) => piece !== "");
  const text = pieces.map((piece) => (typeof piece === "string" ? piece : "")).join("");
  const hasVariables = pieces.some((piece) => typeof piece !== "string");
  if (!hasVariables) return /^[\w@%+=:,./-]+$/.test(text) ? text : singleQuoted(text);
  // In double quotes an interactive shell would look up `!` in its history.
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

/** Variables that a shell sets itself: a request would send their values. */
const reserved =
  /^(?:PATH|CDPATH|HOME|USER|USERNAME|LOGNAME|MAIL|SHELL|PWD|OLDPWD|IFS|PS[124]|UID|EUID|PPID|LANG|LC_\w+|TERM|TZ|HOSTNAME|HOSTTYPE|OSTYPE|EDITOR|DISPLAY|RANDOM|SECONDS|LINENO|GROUPS|DIRSTACK|TMPDIR|ENV|OPTARG|OPTIND)$/;

/** The name of a variable that stands for something, such as CUSTOMER_ID for `customerId`. */
export function variableFor(name: string): Variable {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z\d]+/g, "_")
    .replace(/^_|_$/g, "")
    .toUpperCase()
    .slice(0, 60);
  if (words === "") return { variable: "VALUE" };
  if (reserved.test(words)) return { variable: `${words}_VALUE` };
  return { variable: /^\d/.test(words) ? `_${words}` : words };
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
