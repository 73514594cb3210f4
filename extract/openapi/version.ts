import { Failure } from "../../domain/failures.ts";
import { isObject, toText } from "./values.ts";

/** Versions of Swagger and OpenAPI that Lectern reads. */
export type Version = "2.0" | "3.0" | "3.1" | "3.2";

/**
 * The version that a description declares. A later 3.x is read as 3.2, with which it is meant to be compatible.
 * @throws Failure source_invalid for anything but a description
 */
export function versionOf(root: unknown, name: string): Version {
  if (!isObject(root)) throw noDescription(name, "it holds no object");
  const { swagger, openapi } = root;
  if (openapi === undefined && swagger === undefined)
    throw noDescription(name, "it has neither `openapi` nor `swagger` with its version");
  const declared = toText(openapi ?? swagger);
  const found = /^(?:(2)(?:\.0)?|3(?:\.(\d{1,9})(?:[.-].*)?)?)$/.exec(declared);
  if (found === null || (openapi === undefined) !== (found[1] !== undefined))
    throw noDescription(
      name,
      `its version is ${JSON.stringify(declared.slice(0, 40))}, and 2.0 and 3.0 to 3.2 are read`,
    );
  if (found[1] !== undefined) return "2.0";
  const minor = Number(found[2] ?? 0);
  return minor === 0 ? "3.0" : minor === 1 ? "3.1" : "3.2";
}

function noDescription(name: string, problem: string): Failure {
  return new Failure("source_invalid", `${name} is no OpenAPI description: ${problem}.`);
}
