import type { Status } from "../types.ts";
import { libraryPath } from "../views/addresses.ts";

type Permission = Status["permitted"][number];

/** An act on a library with a button and a confirmation. */
export interface Act {
  /** Permission that its button needs. */
  readonly needs: Permission;
  /** Label of the button, and title of the confirmation. */
  readonly label: string;
  /** Explanation in the confirmation. */
  readonly meaning: string;
  readonly tone: "primary" | "danger";
  /** Operation, below `/api`, and its body beside the library. */
  readonly path: string;
  readonly body?: object;
  /** The tab to open afterwards. */
  readonly tab?: string;
}

/** The acts on a library. */
export const acts = {
  refresh: {
    needs: "refresh",
    label: "Refresh now",
    meaning:
      "Looks at the source, and reads what has changed there. Readers see what is served now until that is done.",
    tone: "primary",
    path: "/v1/refresh",
  },
  cancel: {
    needs: "change",
    label: "Cancel the run",
    meaning: "Ends the open run. What is served now stays as it is.",
    tone: "danger",
    path: "/v2/libs/cancel",
    tab: "runs",
  },
  publish: {
    needs: "change",
    label: "Publish what is held",
    meaning: "Readers see the held generation from then on. The one that is served now is kept: you can go back to it.",
    tone: "primary",
    path: "/v2/libs/publish",
  },
  drop: {
    needs: "change",
    label: "Drop what is held",
    meaning:
      "Drops the held generation. The live generation stays, and the held revision is not tried again automatically.",
    tone: "danger",
    path: "/v2/libs/publish",
    body: { drop: true },
  },
  rollback: {
    needs: "change",
    label: "Roll back to the previous generation",
    meaning: "Readers see the previous generation. The revision of the present one is not tried again automatically.",
    tone: "danger",
    path: "/v2/libs/rollback",
    tab: "runs",
  },
  rename: {
    needs: "change",
    label: "Take the new ID",
    meaning: "The library gets the ID of its new address. The one that it has now redirects there.",
    tone: "primary",
    path: "/v2/libs/rename",
    body: { accept: true },
    tab: "settings",
  },
  keepId: {
    needs: "change",
    label: "Keep the ID",
    meaning: "The library keeps the ID that it has, and the new one is not proposed again.",
    tone: "danger",
    path: "/v2/libs/rename",
    body: { accept: false },
    tab: "settings",
  },
} as const satisfies Readonly<Record<string, Act>>;

export type ActName = keyof typeof acts;

/** Names of all acts. */
export const actNames: readonly ActName[] = Object.keys(acts) as ActName[];

/** Path of the library's page after an act. */
export function afterAct(name: ActName, id: string): string {
  const { tab }: Act = acts[name];
  return libraryPath(id, { tab });
}
