import { Failure } from "../../domain/failures.ts";
import { text } from "../parameters.ts";

/** A field with an address, which `httpAddress` checks. */
export const addressText = text(1, 1000).meta({ format: "uri" });

/** The address in a field of a body, without its fragment. @throws Failure validation_error */
export function httpAddress(raw: string, field: string): URL {
  const url = /^https?:\/\/[^\s\\\p{Cc}]+$/iu.test(raw) ? URL.parse(raw) : null;
  if (url === null)
    throw new Failure("validation_error", `${field} must be an absolute URL that begins with https:// or http://.`);
  if (url.username !== "" || url.password !== "")
    throw new Failure("validation_error", `${field} must hold no credentials.`);
  url.hash = "";
  return url;
}
