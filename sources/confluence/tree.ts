import type { FoundPage, FoundParent } from "./api.ts";

/** What is known of a space: its pages, and the folders that these stand below, by their ids. */
export interface Space {
  readonly pages: ReadonlyMap<string, FoundPage>;
  readonly folders: ReadonlyMap<string, FoundParent>;
}

/** All that a page stands below, the nearest first, as far as it is known. A circle ends where it begins. */
export function chainOf({ pages, folders }: Space, id: string): readonly string[] {
  const chain: string[] = [];
  const seen = new Set([id]);
  for (let above = parentOf(id); above !== undefined && !seen.has(above); above = parentOf(above)) {
    seen.add(above);
    chain.push(above);
  }
  return chain;

  function parentOf(child: string): string | undefined {
    return (pages.get(child) ?? folders.get(child))?.parent?.id;
  }
}

/** Titles of all that a page stands below, the outermost first. */
export function titlesAbove(space: Space, id: string): readonly string[] {
  return chainOf(space, id)
    .map((above) => (space.pages.get(above) ?? space.folders.get(above))?.title ?? "")
    .filter((title) => title !== "")
    .toReversed();
}

/** Pages in the order of their tree: each before those below it, neighbours as they are placed, else by title and id. */
export function inTreeOrder(space: Space): readonly FoundPage[] {
  const children = new Map<string, (FoundPage | FoundParent)[]>();
  const all = [...space.pages.values(), ...space.folders.values()];
  const known = new Set(all.map(({ id }) => id));
  for (const one of all) {
    const above = one.parent !== null && known.has(one.parent.id) ? one.parent.id : "";
    const list = children.get(above);
    if (list) list.push(one);
    else children.set(above, [one]);
  }
  for (const list of children.values()) list.sort(byPlace);
  const ordered: FoundPage[] = [];
  const seen = new Set<string>();
  const visit = (first: readonly (FoundPage | FoundParent)[]): void => {
    const open = first.toReversed();
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (seen.has(one.id)) continue;
      seen.add(one.id);
      const page = space.pages.get(one.id);
      if (page !== undefined) ordered.push(page);
      open.push(...(children.get(one.id) ?? []).toReversed());
    }
  };
  visit(children.get("") ?? []);
  // What stands in a circle hangs below nothing.
  for (const page of space.pages.values()) if (!seen.has(page.id)) visit([page]);
  return ordered;
}

function byPlace(one: FoundPage | FoundParent, other: FoundPage | FoundParent): number {
  const place = (of: FoundPage | FoundParent): number => ("position" in of ? (of.position ?? Infinity) : Infinity);
  const [first, second] = [place(one), place(other)];
  if (first !== second) return first < second ? -1 : 1;
  if (one.title !== other.title) return one.title < other.title ? -1 : 1;
  return Number(one.id) - Number(other.id);
}
