/** Whether this is `npm run test:endurance`, in which tests of random moments and of hostile input take their time. */
export const endurance = process.env["ENDURANCE"] === "on";

/** How much of something a test takes: of kills, of mutations, of bytes. */
export function amount({ short, long }: { readonly short: number; readonly long: number }): number {
  return endurance ? long : short;
}
