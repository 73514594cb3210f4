import { phrases } from "../sign.ts";
import type { Sign } from "../sign.ts";

/** Asks for what only the agent was told. */
export const asksForPrompt: readonly Sign[] = [
  ...phrases(
    "asks_for_prompt",
    4,
    "repeat ~2 text above ~9 your ~2 instructions/prompt",
    "{show}/put/paste/dump ~3 your {hush} {orders}/messages/message",
    "{show}/put/paste/dump your ~2 context_window",
    "{show} ~2 everything/all/anything above ~9 verbatim/word_for_word/exactly/you_are",
    "{hush} directions/instructions/orders ~4 you_received/you_were_given/you_got",
    "{show}/put ~4 message/messages/text/instructions/prompt ~2 your developers/developer/maker/operator/vendor/creators",
  ),
  ...phrases(
    "asks_for_prompt",
    3,
    "{show} ~2 your ~2 system_prompt/system_message/prompt/instructions/hidden_instructions",
    "{show} ~2 your/the hidden/initial/system prompt/instructions/message",
    "what your system_message/system_prompt says",
    "repeat ~2 text above",
    "{show}/translate/summarise/summarize/dump/include/paste/put ~6 {hush} prompt/prompts/instructions/directions/message/messages",
    "{show}/translate/summarise/summarize/dump/include/paste/put ~5 your ~3 system_prompt/instructions/prompt/context_window",
    "{show} ~2 everything/all/anything above this/the ~1 line/message/text",
    "{show}/dump ~2 contents/content of ~1 memory/your",
    "print/output/reveal/show/give/recite/reproduce their/your system_prompt/prompt",
    "summary of the ~2 {hush}/confidential directions/instructions/orders",
    "{show}/give/include ~3 system_prompt ~6 {output}",
    "whole/entire/full/complete conversation ~4 system_prompt",
    "{show}/put/paste/include ~4 {orders}/{rules}/message/messages ~2 you_were/you_have_been/you_received/you_got",
    "{show}/paste/include ~2 what you_were told/given",
    "{show} ~2 your ~1 configuration/tools/guidelines/context/memory/tool_definitions",
  ),
  ...phrases(
    "asks_for_prompt",
    2.4,
    "!{display} ~6 system_prompt/your_context/your_instructions/your_prompt/context_window/system_message",
    "!{display} ~3 text/words/everything/content/contents/message/all ~4 before/above/precedes/preceding/preceded ~5",
    "!{display} ~3 tools/functions/commands/capabilities ~3 you ~3 have/call/use/access/hold/given",
    "!{display} ~2 {hush} ~1 {orders}",
    "!{display} ~3 first/last/previous/all ~3 words/messages/lines/tokens/text ~2 of_your/from_your/verbatim/in_your/of_this_conversation",
    "!{display} ~3 your ~1 configuration/tools/functions/capabilities/settings/guidelines/rules/memory/policies",
    "reply/respond/answer with your",
  ),
];
