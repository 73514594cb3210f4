import { kinds } from "../domain/kinds/index.ts";
import type { Option } from "./command.ts";

export const json: Option = { flag: "--json", about: "Print JSON, on a terminal too." };
export const noWait: Option = { flag: "--no-wait", about: "Return once the server has accepted it." };
export const as: Option = {
  flag: "--as KIND",
  about: "Kind of source, where the address does not say.",
  choices: Object.keys(kinds),
};
export const tokenStdin: Option = {
  flag: "--token-stdin",
  about: "Read the token of a repository from standard input.",
};
export const headersStdin: Option = {
  flag: "--headers-stdin",
  about: "Read the headers for a website from standard input, a line each: Authorization: Bearer …",
};
export const credential: Option = { flag: "--credential ID", about: "Read it with this shared credential." };
export const teamspace: Option = {
  flag: "--teamspace ID",
  about: "Of another teamspace, for the instance's administrators.",
};
export const yes: Option = { flag: "--yes", about: "Do not ask." };
