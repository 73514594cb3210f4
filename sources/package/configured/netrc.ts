import { basicOf } from "./program.ts";

/**
 * What a .netrc shows to a host, as the value of an Authorization header; null where it has no entry for it. Its entry `default` counts for
 * none: it would show one password to every registry. https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html
 */
export function readNetrc(text: string): (host: string) => string | null {
  const found = new Map<string, { login: string; password: string }>();
  let entry: { login: string; password: string } | undefined;
  const words = text
    // A macro reaches to the next empty line.
    .replace(/^[ \t]*macdef[^\n]*\n(?:[^\n]+\n)*/gm, "\n")
    .replace(/^[ \t]*#[^\n]*$/gm, "")
    .matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g);
  for (let word = words.next(); word.done !== true; word = words.next()) {
    const value = (): string => {
      const [, quoted, plain = ""] = words.next().value ?? [];
      return quoted === undefined ? plain : quoted.replace(/\\(.)/g, "$1");
    };
    const name = word.value[2];
    if (name === "default") entry = undefined;
    else if (name === "machine") {
      entry = { login: "", password: "" };
      const host = value().toLowerCase();
      // As every reader does: the first entry of a host counts.
      if (!found.has(host)) found.set(host, entry);
    } else if (name === "login" || name === "password") {
      const given = value();
      if (entry) entry[name] = given;
    } else if (name === "account") value();
  }
  return (host) => {
    const { login = "", password = "" } = found.get(host.toLowerCase()) ?? {};
    return login === "" && password === "" ? null : basicOf(login, password);
  };
}
