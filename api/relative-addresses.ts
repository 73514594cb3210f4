import type { Passage } from "../domain/passage.ts";

/** Something in a file: its path in the tree, and an address. */
interface InFile {
  readonly path?: string;
  readonly url: string;
}

/** The same with an address relative to the folder that was read, such as `guide/start.md#L3-L9`. */
export function withoutDisk<T extends InFile>(place: T): T {
  const segments = place.path?.split("/").length ?? 1;
  return { ...place, url: place.url.split("/").slice(-segments).join("/") };
}

/** The same passage with relative addresses. */
export function passageWithoutDisk(passage: Passage): Passage {
  const { path = "" } = passage.source;
  const blocks = passage.blocks.map((block) => {
    if (block.type === "prose") return block;
    const codes = block.codes.map((code) => ({
      ...code,
      ...(code.sources && { sources: code.sources.map(withoutDisk) }),
    }));
    return { ...block, codes, url: withoutDisk({ path, url: block.url }).url };
  });
  const page = { ...passage.page, url: withoutDisk({ path, url: passage.page.url }).url };
  return { ...passage, blocks, page, source: withoutDisk(passage.source) };
}
