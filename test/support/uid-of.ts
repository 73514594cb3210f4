import type { Catalog } from "../../domain/ports.ts";

/** The uid of a public library; "" if there is none. */
export async function uidOf({ libraries }: Pick<Catalog, "libraries">, id: string): Promise<string> {
  return (await libraries.find([""], id, ""))?.library.uid ?? "";
}
