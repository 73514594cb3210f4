import { Failure } from "../../domain/failures.ts";

/** Maximum length of a key, in characters. A segment is a file name, so it has at most 255. */
const maxKeyLength = 1000;
const segment = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,255}$/;

/** Checks a blob's key: segments of `A-Z a-z 0-9 . _ -` joined with `/`, none of them `.` or `..`. @throws Failure internal_error */
export function parseKey(key: string): string {
  if (key.length > maxKeyLength || !key.split("/").every((part) => segment.test(part))) {
    const shown = JSON.stringify(key.slice(0, 200));
    throw new Failure(
      "internal_error",
      `${shown} is not a valid blob key; use segments of A-Z a-z 0-9 . _ - joined with "/".`,
    );
  }
  return key;
}

/** Checks a prefix: a key and a closing `/`. @throws Failure internal_error */
export function parsePrefix(prefix: string): string {
  if (!prefix.endsWith("/")) {
    const shown = JSON.stringify(prefix.slice(0, 200));
    throw new Failure("internal_error", `${shown} is not a valid blob prefix; end it with "/".`);
  }
  return `${parseKey(prefix.slice(0, -1))}/`;
}
