import type { Caller } from "./access.ts";
import { may } from "./authorizing.ts";
import { kindOf, labelOf } from "./kinds/index.ts";
import type { LibraryRecord } from "./ports.ts";

type Placed = Pick<LibraryRecord, "id" | "teamspace" | "source">;

/** Whether a caller sees a library's path on the server's disk: those who may change the library do. */
export function seesDisk(caller: Caller, library: Placed): boolean {
  return kindOf(library.source).onDisk !== true || may(caller, "library.change", library);
}

/** A library's source as the caller may see it. Every message and answer with a source uses this. */
export function sourceShownTo(caller: Caller, library: Placed): string {
  const { location } = kindOf(library.source);
  return seesDisk(caller, library) ? location(library.source) : labelOf(library.source);
}
