import { Failure } from "../../domain/failures.ts";

/** Maximum length of a key, in characters; a segment is a file name, of 255 at most. */
const maxKeyLength = 1000;
const segment = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,255}$/;

/** Checks a blob's key: segments of `A-Z a-z 0-9 . _ -` joined with `/`, none of them `.` or `..`. @throws Failure internal_error */
export function parseKey(key: string): string {
  if (key.length > maxKeyLength || !key.split("/").every((part) => segment.test(part))) {
    const shown = JSON.stringify(key.slice(0, 200));
    throw new Failure(
      "internal_error",
      `${shown} cannot be the key of a blob; use segments of A-Z a-z 0-9 . _ - joined with "/".`,
    );
  }
  return key;
}

/** Checks a prefix: a key and a closing `/`. @throws Failure internal_error */
export function parsePrefix(prefix: string): string {
  if (!prefix.endsWith("/")) {
    const shown = JSON.stringify(prefix.slice(0, 200));
    throw new Failure("internal_error", `${shown} cannot be a prefix of blobs; end it with "/".`);
  }
  return `${parseKey(prefix.slice(0, -1))}/`;
}
