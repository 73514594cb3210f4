import type { FoundPage, FoundParent } from "./api.ts";

/** The pages that were found in a space, and their ancestors that are not pages, by their ids. */
export interface Space {
  readonly pages: ReadonlyMap<string, FoundPage>;
  readonly folders: ReadonlyMap<string, FoundParent>;
}

/** Ids of a page's ancestors, the nearest first, up to the first that was not found. A cycle ends where it began. */
export function ancestorsIn({ pages, folders }: Space, id: string): readonly string[] {
  const ancestors: string[] = [];
  const seen = new Set([id]);
  for (let above = parentOf(id); above !== undefined && !seen.has(above); above = parentOf(above)) {
    seen.add(above);
    ancestors.push(above);
  }
  return ancestors;

  function parentOf(child: string): string | undefined {
    return (pages.get(child) ?? folders.get(child))?.parent?.id;
  }
}

/** Titles of a page's ancestors, the outermost first. */
export function titlesAbove(space: Space, id: string): readonly string[] {
  return ancestorsIn(space, id)
    .map((ancestor) => (space.pages.get(ancestor) ?? space.folders.get(ancestor))?.title ?? "")
    .filter((title) => title !== "")
    .toReversed();
}

/** Pages in the order of their tree: each before its children, siblings by position, title and id. */
export function inTreeOrder(space: Space): readonly FoundPage[] {
  const all: (FoundPage | FoundParent)[] = [...space.pages.values(), ...space.folders.values()];
  const known = new Set(all.map(({ id }) => id));
  const children = Map.groupBy(all, ({ parent }) => (parent !== null && known.has(parent.id) ? parent.id : ""));
  for (const list of children.values()) list.sort(byPosition);
  const ordered: FoundPage[] = [];
  const seen = new Set<string>();
  const visitBelow = (roots: readonly (FoundPage | FoundParent)[]): void => {
    const open = roots.toReversed();
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (seen.has(one.id)) continue;
      seen.add(one.id);
      const page = space.pages.get(one.id);
      if (page !== undefined) ordered.push(page);
      open.push(...(children.get(one.id) ?? []).toReversed());
    }
  };
  visitBelow(children.get("") ?? []);
  // Pages in a cycle are not below a root.
  for (const page of space.pages.values()) if (!seen.has(page.id)) visitBelow([page]);
  return ordered;
}

function byPosition(one: FoundPage | FoundParent, other: FoundPage | FoundParent): number {
  const position = (of: FoundPage | FoundParent): number => ("position" in of ? (of.position ?? Infinity) : Infinity);
  const [first, second] = [position(one), position(other)];
  if (first !== second) return first < second ? -1 : 1;
  if (one.title !== other.title) return one.title < other.title ? -1 : 1;
  return Number(one.id) - Number(other.id);
}
