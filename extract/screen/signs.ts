import { agentOnly } from "./agent-only.ts";
import { otherLanguages } from "./other-languages.ts";
import { forms } from "./forms.ts";
import { codes } from "./phrases.ts";
import { requests } from "./requests.ts";
import { secrets } from "./secrets.ts";
import { raw, words } from "./sign.ts";
import type { Sign } from "./sign.ts";
import { tasks } from "./tasks.ts";

/** Whom it is said to, what is asked, and how it hides. Documentation for people has one of them here and there. */
export const signs: readonly Sign[] = [
  // Not to heed what the agent was told.
  ...words(
    "override",
    4,
    "{drop} ~1 {every} ~2 {earlier} ~2 {orders}",
    "{drop} ~1 {every} ~2 {orders} ~4 {earlier}",
    "{drop} every/all instruction/instructions ~4 given/told",
    "{drop} ~2 {earlier} system_prompt/system_prompts/system_instructions",
    "ignore/disregard/forget/stop_following ~1 the/your system_prompt/system_message",
    "{drop} ~1 your ~2 {orders}",
    "{drop} ~1 your ~2 rules/policies/restrictions/constraints/limits",
    "{drop} ~1 everything/all/anything ~1 above/before/you_were_told/you_have_been_told/the_system_has_told_you/has_told_you",
    "{drop} ~1 everything/all ~1 that ~4 told ~2 {earlier}",
  ),
  ...words(
    "override",
    3,
    "{drop} ~3 {earlier} ~1 {orders}",
    "{drop} ~2 {orders} ~4 {earlier}",
    "{drop} ~2 users/user/operators/developers ~1 instructions/request/requests/directions/orders/wants/rules",
    "{drop} ~2 the rules of the user/system",
    "{drop} ~1 what the user wants/says/asked",
    "{drop} ~2 any/all safety rules/guidelines/instructions",
    "your ~2 {orders} ~2 do_not/dont/no_longer apply",
    "{drop} ~2 rules of openai/anthropic/google",
  ),
  ...words("override", 2.5, "{drop} ~2 {earlier} ~2 {rules}"),
  // Whom it is said to.
  ...words(
    "addressed_to_agents",
    2,
    "dear/kind/hey/hello/hi/ok ~2 {ai}",
    "{ai} ~3 reading/processing/parsing ~1 this",
    "agents are required",
  ),
  // Not to tell the user.
  ...words(
    "conceals",
    4,
    "{not} ~2 {tell} ~1 {user} about/of this/it/that/them",
    "{not} ~2 {tell} ~1 {user} why .",
    "{not} ~2 {tell} ~1 {user} that you",
    "{not} ~2 {tell} this/it/that to the? {user}",
    "{not} ~2 {tell} anybody/anyone",
    "keep/hide ~1 this/it from the? {user}",
    "say nothing ~2 to the? {user}",
    "{user} must_not/may_not/should_not/must_never know/learn/notice/see/find",
  ),
  ...words(
    "conceals",
    3,
    "do_not/dont/never/must_not/should_not/may_not/not_to {tell} ~2 {user}",
    "keep silent ~4 {user}",
    "without ~2 users/user knowledge/knowing",
    "{not} reveal ~2 you were told",
    "and do_not/dont/never/not mention it/this/that",
    "and do_not/dont/never/not mention ~2 alternatives",
    "without telling anybody/anyone",
  ),
  ...words("conceals", 2, "without informing/telling/notifying/asking ~1 {user}"),
  // For what only the agent knows.
  ...words(
    "asks_for_prompt",
    3,
    "{show} ~2 your ~2 system_prompt/system_message/prompt/instructions/hidden_instructions",
    "{show} ~2 your/the hidden/initial/system prompt/instructions/message",
    "what your system_message/system_prompt says",
    "repeat ~2 text above",
  ),
  ...words("asks_for_prompt", 4, "repeat ~2 text above ~9 your ~2 instructions/prompt"),
  // Another role.
  ...words("new_role", 4, "from_now_on you_are ~4 no/without ~1 restrictions/rules/filter/filters/limits"),
  ...words("new_role", 2, "behave as this"),
  ...words(
    "new_role",
    3,
    "your new/next/primary/main/real/true/actual/only ~1 task/instructions/objective/goal/purpose/role/instruction",
    "new instructions for the? {ai}",
    "only guidance that counts",
  ),
  // Turns and marks of a conversation.
  raw(
    "feigns_conversation",
    3,
    /<\|(?:im_start|im_end|start_header_id|eot_id|system|assistant|endoftext)\|>|\[\/?INST\]|<<\/?SYS>>/g,
    {
      needs: [["im", "start", "eot", "system", "assistant", "endoftext", "inst", "sys"]],
      marks: ["<|", "INST]", "SYS>>"],
    },
  ),
  raw(
    "feigns_conversation",
    3,
    /^[ \t>*#[-]{0,8}(?:SYSTEM|ASSISTANT|DEVELOPER)\s{0,3}(?:(?:PROMPT|MESSAGE|OVERRIDE|INSTRUCTIONS?)\s{0,3})?\]?:\s{0,3}(?:you|ignore|do not|always|from now)\b/gim,
    {
      needs: [
        ["system", "assistant", "developer"],
        ["you", "ignore", "do not", "always", "from now"],
      ],
    },
  ),
  raw("feigns_conversation", 1, /<(?:IMPORTANT|SYSTEM|INSTRUCTIONS?)>|\[(?:end of (?:the )?document|system)\]/gi, {
    needs: [["important", "system", "instruction", "instructions", "end of"]],
  }),
  raw(
    "feigns_conversation",
    3,
    /\b(?:system override|system message|developer message): {0,2}(?:you|ignore|do not)\b/gi,
    {
      needs: [
        ["system", "developer"],
        ["override", "message"],
      ],
    },
  ),
  ...forms,
  ...secrets,
  ...requests,
  ...agentOnly,
  ...tasks,
  ...otherLanguages,
];

/** Every word that signs are made of; shorter ones are in any text. */
export const vocabulary: ReadonlySet<string> = new Set([...codes.keys()].filter((word) => word.length > 2));
