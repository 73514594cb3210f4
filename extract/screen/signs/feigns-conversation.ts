import { pattern, phrases } from "../sign.ts";
import type { Sign } from "../sign.ts";

/** Has turns and marks of a conversation with a model. */
export const feignsConversation: readonly Sign[] = [
  ...phrases(
    "feigns_conversation",
    3,
    "following was written/said/sent/added by the user/operator/developer/administrator",
    "system_prompt override",
    "next step required by the tool",
  ),
  pattern(
    "feigns_conversation",
    3,
    /<\|(?:im_start|im_end|start_header_id|eot_id|system|assistant|endoftext)\|>|\[\/?INST\]|<<\/?SYS>>/g,
    "im/start/eot/system/assistant/endoftext/inst/sys",
    { marks: ["<|", "INST]", "SYS>>"] },
  ),
  pattern(
    "feigns_conversation",
    3,
    /^[ \t>*#[-]{0,8}(?:SYSTEM|ASSISTANT|DEVELOPER)\s{0,3}(?:(?:PROMPT|MESSAGE|OVERRIDE|INSTRUCTIONS?)\s{0,3})?\]?:\s{0,3}(?:you|ignore|do not|always|from now)\b/gim,
    "system/assistant/developer you/ignore/do_not/always/from_now",
  ),
  pattern(
    "feigns_conversation",
    1,
    /<(?:IMPORTANT|SYSTEM|INSTRUCTIONS?)>|\[(?:end of (?:the )?document|system)\]/gi,
    "important/system/instruction/instructions/end_of",
  ),
  pattern(
    "feigns_conversation",
    3,
    /\b(?:system override|system message|developer message): {0,2}(?:you|ignore|do not)\b/gi,
    "system/developer override/message",
  ),
  pattern(
    "feigns_conversation",
    3,
    /<\/(?:user|human|assistant)>\s{0,5}<system>|\[system\][ :]{0,3}(?:you|new|ignore|override)\b/gi,
    "system",
  ),
  pattern(
    "feigns_conversation",
    2,
    /(?:\[|#{2,6} ?|-{3,6} ?|<|\{)(?:system|admin|administrator|ai|llm|agent|assistant|instructions?|hidden|developer|override)(?:[_ ](?:note|notes|instructions?|message|prompt|update|override|directive))?(?:\](?!\()|: | ?#{2,6}| ?-{3,6}|>|\}|, )/gi,
    "system/admin/administrator/ai/llm/agent/assistant/instruction/instructions/hidden/developer/override",
    { marks: ["[", "##", "---", "<", "{"] },
  ),
  pattern("feigns_conversation", 2, /<\/?system-reminder>|<IMPORTANT>/g, "reminder/important"),
  pattern(
    "feigns_conversation",
    2.5,
    /\b(?:Human|User):[^\n]{1,300}\b(?:Assistant|AI):[^\n]{1,300}\b(?:Human|User):/g,
    "human/user assistant/ai",
  ),
];
