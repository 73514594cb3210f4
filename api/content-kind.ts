import type { ContentKind, Passage, PassageBlock } from "../domain/passage.ts";

/**
 * Passages reduced to code or to prose; those without any are left out. In the text form code keeps its lead-in.
 */
export function withOnly(
  passages: readonly Passage[],
  kind: ContentKind | undefined,
  type: "txt" | "json",
): readonly Passage[] {
  if (kind === undefined) return passages;
  return passages
    .map((passage) => ({ ...passage, blocks: passage.blocks.flatMap((block) => only(kind, type, block)) }))
    .filter(({ blocks }) => blocks.length > 0);
}

function only(kind: ContentKind, type: "txt" | "json", block: PassageBlock): readonly PassageBlock[] {
  if ((block.type === "code") !== (kind === "code")) return [];
  if (block.type === "prose" || type === "json" || block.description === "") return [block];
  return [{ type: "prose", markdown: block.description }, block];
}
