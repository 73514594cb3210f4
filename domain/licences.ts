/**
 * The licences of a library: one of each group applies. `[["MIT", "Apache-2.0"], ["CC-BY-4.0"]]` is MIT or Apache-2.0 for one part, and CC-BY-4.0
 * for another. SPDX identifiers (https://spdx.org/licenses), without exceptions, which only permit more.
 */
export type Licences = readonly (readonly string[])[];

/**
 * The form that two SPDX identifiers are compared by: their case means nothing, and those of the GNU licences from before version 3 of the
 * list stand for their present ones: `GPL-3.0` for `GPL-3.0-only`, `GPL-3.0+` for `GPL-3.0-or-later`.
 */
export function foldLicence(id: string): string {
  const folded = id.toLowerCase();
  const gnu = /^(a?gpl|lgpl|gfdl)-(\d\.\d)(\+?)$/.exec(folded);
  return gnu ? `${gnu[1]}-${gnu[2]}-${gnu[3] === "+" ? "or-later" : "only"}` : folded;
}
