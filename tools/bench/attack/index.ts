import type { Attack } from "./attack.ts";
import { clientAttacks } from "./clients.ts";
import { inputAttacks } from "./inputs.ts";
import { repositoryAttacks } from "./repositories.ts";
import { websiteAttacks } from "./websites.ts";

/** Every attack; none may hold the loop of the main thread for a second (test/e2e/attacks.test.ts). */
export const attacks: readonly Attack[] = [...repositoryAttacks, ...websiteAttacks, ...clientAttacks, ...inputAttacks];
