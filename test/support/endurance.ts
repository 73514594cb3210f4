const setting = process.env["ENDURANCE"] ?? "";

/**
 * Whether this is `npm run test:endurance`, whose random and hostile inputs take about a minute. `ENDURANCE=60` runs 60 times as
 * many, which takes about an hour.
 */
export const endurance = setting === "on" || Number(setting) > 0;

const factor = Number(setting) > 0 ? Number(setting) : 1;

/** The amount (of kills, mutations, bytes) for this kind of run. */
export function amount({ short, long }: { readonly short: number; readonly long: number }): number {
  return endurance ? long : short;
}

/** The number of generated inputs for this kind of run. ENDURANCE multiplies it. */
export function runs({ short, long }: { readonly short: number; readonly long: number }): number {
  return endurance ? long * factor : short;
}
