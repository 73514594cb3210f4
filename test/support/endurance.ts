const asked = process.env["ENDURANCE"] ?? "";

/**
 * Whether this is `npm run test:endurance`, in which tests of random moments and of hostile input take their time: about a minute's
 * worth. `ENDURANCE=60` is sixty times as much, about an hour's.
 */
export const endurance = asked === "on" || Number(asked) > 0;

const times = Number(asked) > 0 ? Number(asked) : 1;

/** How much of something a test takes, in whatever is counted: kills, mutations, bytes. */
export function amount({ short, long }: { readonly short: number; readonly long: number }): number {
  return endurance ? long : short;
}

/** How many generated inputs a test takes. An hour's worth has more of them, none larger. */
export function runs({ short, long }: { readonly short: number; readonly long: number }): number {
  return endurance ? long * times : short;
}
