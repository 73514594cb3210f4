import type { Choices, LibraryRecord, Schedule } from "./catalog-libraries.ts";

/** The settings of a library that administrators change; null: not set. */
export interface LibrarySettings {
  /** Null: the source's own. */
  readonly title: string | null;
  /** Null: the source's own. */
  readonly description: string | null;
  readonly rules: readonly string[] | null;
  /** Null: by use. */
  readonly schedule: Schedule | null;
  /** `off`: nothing of the library is quarantined. */
  readonly screen: "off" | null;
  /** 0 to 10; null: computed. */
  readonly trust: number | null;
  /** Null: by the trust score. */
  readonly verified: boolean | null;
  /** ID of the library that readers are redirected to. */
  readonly redirect: string | null;
}

/** The members of a library that its settings set. */
export interface SettingMembers {
  readonly title?: string;
  readonly description?: string;
  readonly trust?: number | null;
  readonly verified?: boolean | null;
  readonly chosen?: Choices;
}

/** The current settings of a library. */
export function settingsOf({ chosen = {}, trust, verified, redirect }: LibraryRecord): LibrarySettings {
  const { title = null, description = null, rules = null, schedule = null, screen = null } = chosen;
  return { title, description, rules, schedule, screen, trust, verified: verified ?? null, redirect };
}

/** The members of a library that a change sets, without the redirect. Null: reset; absent: unchanged. */
export function membersOf(
  { chosen = {} }: Pick<LibraryRecord, "chosen">,
  { redirect: _redirect, verified, ...choices }: Partial<LibrarySettings>,
): SettingMembers {
  const { title, description, trust } = choices;
  const given = Object.entries(choices).filter(([, value]) => value !== undefined);
  const after = Object.entries({ ...chosen, ...Object.fromEntries(given) }).filter(([, value]) => value !== null);
  return {
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    ...(trust !== undefined && { trust }),
    ...(verified !== undefined && { verified }),
    ...(given.length > 0 && { chosen: Object.fromEntries(after) }),
  };
}
