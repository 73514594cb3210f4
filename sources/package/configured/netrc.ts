import { basicOf } from "./program.ts";
import type { Netrc } from "./program.ts";

/**
 * Reads the content of a .netrc. Its entry `default` is ignored, as it would show one password to every registry.
 * https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html
 */
export function readNetrc(text: string): Netrc {
  const found = new Map<string, { login: string; password: string }>();
  let entry: { login: string; password: string } | undefined;
  const words = text
    // A macro ends at the next empty line.
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
      // The first entry of a host counts, as in other readers.
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
