import type { Sign } from "../sign.ts";
import { addressedToAgents } from "./addressed-to-agents.ts";
import { agentTask } from "./agent-task.ts";
import { asksForPrompt } from "./asks-for-prompt.ts";
import { claimsAuthority } from "./claims-authority.ts";
import { conceals } from "./conceals.ts";
import { feignsConversation } from "./feigns-conversation.ts";
import { harms } from "./harms.ts";
import { hidden } from "./hidden.ts";
import { newRole } from "./new-role.ts";
import { otherLanguages } from "./other-languages.ts";
import { override } from "./override.ts";
import { sendsSecrets } from "./sends-secrets.ts";

/** All signs in scripts that are searched for words: a file for each finding, and one for languages other than English. */
export const signs: readonly Sign[] = [
  ...override,
  ...addressedToAgents,
  ...conceals,
  ...asksForPrompt,
  ...newRole,
  ...feignsConversation,
  ...sendsSecrets,
  ...claimsAuthority,
  ...agentTask,
  ...harms,
  ...hidden,
  ...otherLanguages,
];
