import { escaped } from "./parse.ts";
import type { JsonObject } from "./values.ts";

/** Keywords whose values are data, in which nothing is a part of the description. */
const data = new Set(["example", "default", "enum", "const", "value", "dataValue", "mapping", "scopes"]);
/** Keywords whose values are maps: their keys are names that the description chooses. */
const maps = new Set(
  "properties patternProperties schemas definitions $defs dependentSchemas responses parameters headers requestBodies callbacks webhooks pathItems paths links examples securitySchemes securityDefinitions content mediaTypes encoding".split(
    " ",
  ),
);

/**
 * Calls `visit` for each object of a file whose keys are keywords, with its JSON pointer: not for maps of names, and for nothing in
 * examples, defaults or extensions. What aliases of YAML share is visited once.
 */
export function walk(root: unknown, visit: (object: JsonObject, pointer: () => string) => void): void {
  const seen = new Set<object>();
  const enter = (value: unknown, pointer: () => string, isMap: boolean): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    const isList = Array.isArray(value);
    if (!isList && !isMap) visit(value as JsonObject, pointer);
    for (const [key, child] of Object.entries(value) as [string, unknown][]) {
      if (!isList && !isMap && (data.has(key) || key.startsWith("x-"))) continue;
      if (key === "examples" && Array.isArray(child)) continue;
      enter(child, () => `${pointer()}/${escaped(key)}`, !isList && !isMap && maps.has(key));
    }
  };
  enter(root, () => "", false);
}
