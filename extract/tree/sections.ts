/** Tracks the levels of headings from the beginning of a page, whose components open sections of their own. */
export function createSections() {
  const open: { readonly level: number; readonly outer: number }[] = [];
  let current = 1;
  return {
    /** The level of a heading of the page, which is below that of open components. */
    heading(level: number): number {
      current = Math.max(level, (open.at(-1)?.level ?? 0) + 1);
      return current;
    },
    /** Opens a component; returns the level of its title. */
    open(): number {
      open.push({ level: current + 1, outer: current });
      return ++current;
    },
    /** Closes the last opened component; returns its level. */
    close(): number {
      const last = open.pop();
      current = last?.outer ?? current;
      return last?.level ?? current + 1;
    },
  };
}
