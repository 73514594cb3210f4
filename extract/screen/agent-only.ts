import { words } from "./sign.ts";
import type { Sign } from "./sign.ts";

/** What only an agent has or handles: the answer it writes, the user it works for, what it was given, those who speak to it. */
export const agentOnly: readonly Sign[] = [
  ...words("addressed_to_agents", 2, "what/whatever the user wrote/typed/requested"),
  ...words("sends_secrets", 2, "{ai} ~4 {must} ~9 {private}/system_prompt/hidden_reasoning/api_keys/tokens"),
  ...words("sends_secrets", 3, "{send}/copy ~2 full/whole/entire/complete transcript"),
  ...words("agent_task", 2, "{ai} ~3 {must} ~6 signed_in account"),
  ...words(
    "override",
    4,
    "{drop} ~2 {orders} you_had/you_have/you_got ~2 so_far",
    "{drop} ~1 what/whatever you_were told/asked/given",
    "no_matter what the user ~2 requested/asked/wants/says/wanted",
    "regardless of what the user ~2 requested/asked/wants/says/wanted",
    "take/takes the place of the users wishes/request/instructions",
  ),
  ...words(
    "override",
    3,
    "regardless of what was asked/requested",
    "{drop} the users ~1 choice/wishes/wish/request",
    "even if/where the user ~1 objects/refuses/declines/names",
  ),
  ...words("new_role", 4, "next/additional/extra/new task/duty/instruction for the ~1 {ai}"),
  ...words(
    "conceals",
    3,
    "{user} need not hear",
    "do_not/dont report back",
    "do_not/dont/never ask for it again",
    "dont/do_not/never say so",
    "keep quiet about",
    "do_not/dont/never tell the reader that you",
    "never ask him/her/them about it",
  ),
];
