declare module "@joplin/turndown-plugin-gfm" {
  import type { Plugin } from "turndown";

  /** Tables, strikethrough and task lists of GitHub's Markdown. */
  export const gfm: Plugin;
}
