import type { Finding } from "../../domain/passage.ts";

/** A phrase to search in the words of a text (`read`), and its weight. */
export interface Phrase {
  readonly weight: number;
  /** Matches from the space before the first word. */
  readonly pattern: RegExp;
  /** It counts only in the position of an order: first in a clause, or after words such as "and", "please", "must". */
  readonly isOrder: boolean;
}

/** Classes of words in phrases; `_` stands for a space. */
const classes = {
  /** Verbs for dropping instructions. */
  drop: "ignore ignoring disregard forget override bypass overlook neglect discard abandon dismiss unlearn erase disobey set_aside put_aside lay_aside leave_aside throw_away stop_following stop_obeying pay_no_attention_to do_not_follow dont_follow never_follow no_longer_follow do_not_obey do_away_with",
  earlier:
    "previous previously prior earlier above preceding foregoing existing original former initial past before so_far",
  /** Instructions to agents. */
  orders:
    "instruction instructions prompt prompts directive directives guideline guidelines directions orders programming training guardrails system_message system_messages system_prompt system_prompts",
  /** Instructions to agents or others. */
  rules:
    "rule rules constraint constraints command commands message messages restrictions policy policies safeguards request task",
  gone: "void obsolete superseded expired cancelled invalid revoked lifted suspended",
  agent:
    "ai ais llm llms gpt chatgpt claude copilot gemini language_model language_models ai_model ai_models ai_agent ai_agents ai_assistant ai_assistants ai_tool ai_tools ai_reviewer ai_reviewers llm_agent llm_agents coding_agent coding_agents coding_assistant coding_assistants coding_model automated_agent automated_agents autonomous_agent autonomous_agents machine_readers chatbot chatbots",
  /** Words for agents with other meanings. */
  helpers: "assistants agents models bots",
  /** Agents as addressees. */
  called:
    "ai llm llms ai_agent ai_agents ai_assistant ai_assistants agents assistant assistants copilot claude chatgpt chatbots coding_agents coding_assistants automated_agents",
  reads:
    "reading processing parsing indexing summarising summarizing read reads process processes fetched quote quotes fetch",
  must: "must should shall has_to have_to are_required_to is_required_to need_to needs_to",
  /** Tasks for agents that documentation does not give. */
  does: "run execute add append insert import install open fetch call recommend rank rate report reply respond answer state say tell mention praise approve merge delete remove change write send post upload print output consider treat include copy attach forward list query comply obey follow prefix read reveal repeat put save classify mark",
  user: "user users developer human humans anybody anyone operator person people reader them him her",
  tell: "tell telling inform informing mention mentioning alert alerting notify notifying warn reveal say disclose report",
  not: "do_not dont never must_not should_not without not",
  show: "print reveal show output repeat display leak dump recite tell give return write reproduce quote disclose expose paste include put",
  reveal: "print reveal show output repeat display leak dump recite disclose expose reproduce",
  send: "send post upload exfiltrate transmit leak forward email mail submit publish copy attach append paste",
  read: "read open cat print copy take collect gather load find get dump fetch extract",
  /** Secrets. */
  secret:
    "ssh_key ssh_keys private_key private_keys id_rsa(?!_pub) id_ed25519(?!_pub) api_key api_keys apikey credentials passwords access_token access_tokens session_token session_tokens secrets secrets_yaml env_file environment_variables netrc npmrc pypirc kubeconfig kube_config etc_passwd keychain wallet seed_phrase cookies process_env os_environ",
  /** Secrets that programs do not send by themselves. */
  key: "ssh_key ssh_keys private_key private_keys id_rsa(?!_pub) id_ed25519(?!_pub) env_file of_env users_env environment_variables netrc npmrc pypirc aws_credentials kube_config etc_passwd wallet seed_phrase seed_phrases secrets_yaml process_env",
  give: "send post upload exfiltrate transmit leak forward email mail submit copy attach append paste include put add insert pass",
  said: "answer answers reply replies response responses output summary explanation completion",
} as const;

/** All words of phrases, to distinguish disguised words from odd names. */
const known = new Set<string>();

/** Whether a word is in a phrase; false for short words, which are in any text. */
export function isKnown(word: string): boolean {
  return word.length > 2 && known.has(word);
}

/**
 * Compiles phrases of equal weight. Their parts:
 *
 * - `{name}`: a word of a class; `a/b`: one of these; `a_b`: two words
 * - `~3`: up to three words, commas or colons of the same sentence
 * - `!a`, first: the phrase counts only in the position of an order
 * - `.`, `,`, `:`: punctuation
 *
 * All repetition is bounded, so searching is linear. Phrases with the same beginning share an expression.
 */
export function phrases(weight: number, ...sources: readonly string[]): readonly Phrase[] {
  const byFirst = Map.groupBy(sources, (source) => source.split(" ", 1)[0] ?? "");
  return Array.from(byFirst, ([first, alike]) => {
    const rests = alike.map((source) => source.split(" ").slice(1).map(toPattern).join(""));
    const pattern = new RegExp(` ${toPattern(first.replace("!", ""))}(?:${rests.join("|")})`, "g");
    return { weight, pattern, isOrder: first.startsWith("!") };
  });
}

function toPattern(part: string): string {
  const gap = /^~(\d+)$/.exec(part)?.[1];
  return gap === undefined ? `(?:${alternativesOf(part).join("|")}) ` : `(?:[^ .]+ ){0,${gap}}?`;
}

/** The alternatives of a part of a phrase, the longest first. */
function alternativesOf(part: string): readonly string[] {
  const words = part
    .split("/")
    .flatMap((one) => (one.startsWith("{") ? classes[one.slice(1, -1) as keyof typeof classes].split(" ") : [one]))
    .map((word) => word.replaceAll("_", " "));
  for (const word of words.flatMap((one) => one.split(" "))) known.add(word);
  return words.toSorted((one, other) => other.length - one.length).map((one) => one.replace(/^[.,:]$/, "[$&]"));
}

/** Signs of one kind of prompt injection. */
export interface Signs {
  readonly reason: Finding;
  /** Cheap tests that every text with one of the signs passes, in lower case. */
  readonly has: readonly RegExp[];
  /** The phrases: weight 4 is enough by itself, 2 needs a sign of another kind nearby. */
  readonly signs: readonly Phrase[];
}

/** All signs in English. */
export const signs: readonly Signs[] = [
  {
    reason: "override",
    has: [
      /ignor|disregard|forget|overrid|overlook|bypass|neglect|discard|abandon|dismiss|unlearn|erase|disobey|aside|throw\s+away|stop\s+(?:following|obeying)|attention\s+to|(?:not|n['’]t|never|longer)\s+(?:follow|obey|apply|count|hold|matter)|superseded|void|obsolete|expired|cancelled|invalid|revoked|lifted|suspended|disabled|deactivated|removed|has\s+changed|your\s+(?:former|old|previous|earlier|original)|regardless|no\s+matter|reset|cancel|skip|drop|from\s+now\s+on|are\s+now|only/,
      /instruct|prompt|directive|guideline|guidance|direction|orders|programming|training|guardrail|rule|constraint|command|restriction|polic|safeguard|above|before|previous|told|said|asked|configured|user|developer|operator|request|wishes|task|role|goal|safety|\bmode\b|now\s+on/,
    ],
    signs: [
      ...phrases(
        4,
        "!{drop} ~3 {earlier} ~2 {orders}",
        // Also in names and addresses, where nothing stands before an order.
        "ignore/disregard all/any/your/the {earlier} {orders}",
        "ignore/disregard {earlier} {orders} and",
        "!disregard/forget ~3 {earlier} ~2 rule/rules/constraints/policies/request/task",
        "!{drop} ~1 the/all/everything ~1 above and/,/.",
        "!{drop} ~1 all/any/every ~2 {orders} ~3 {earlier}/given/told/received",
        "!{drop} ~1 {orders}/{rules} ~1 you ~3 given/received/told/had/have/got",
        "!{drop} ~1 your/its/their ~2 {orders}/{rules}/guidance",
        "!{drop} ~1 everything/all/anything/whatever/what ~2 above/before/previous/told/said/learned/asked/instructed",
        "!{drop} ~1 what/whatever ~4 {user}/vendor/maker ~2 told/asked/said/wants/configured/set/instructed",
        "!{drop} ~2 users/user/developers/operators ~2 instructions/request/requests/orders/wishes/choice/question",
        "!ignore/disregard/forget the user/developer/operator and/./,/:",
        "!ignore/disregard/forget ~1 the ~1 system_prompt/system_message/system_instructions",
        "{earlier} ~1 {orders}/{rules} ~1 are/is/have_been/has_been ~1 {gone}",
        "your ~2 {orders}/{rules} ~1 are/is/have/has/do_not/no_longer/dont ~2 {gone}/apply",
        "{earlier} ~1 {orders} ~3 do_not/dont/no_longer apply/count/hold/matter",
        "instructions above ~4 {gone}",
        "drop/reset/cancel/skip ~1 your ~2 {orders}",
        "your ~2 task/role/goal/mission/purpose has changed",
        "regardless_of/no_matter what ~1 user/users ~2 asked/asks/requested/wants/wanted/says/said/prefers",
        "regardless_of/no_matter what was asked/requested",
        "ignore the rest of this ~1 page/document/file/text and ~1 print/output/say/respond/reply/answer/write/state",
        "instead_of ~1 your/the original ~1 {rules}/{orders}",
        "from_now_on ~1 you only/obey/answer/serve/work_for",
        "your ~1 safety/content ~3 lifted/disabled/removed/suspended/deactivated",
      ),
      ...phrases(
        2,
        "{drop} ~3 {earlier} ~2 {orders}",
        "!{drop} ~3 {earlier} ~2 {rules}",
        "your former/old/previous/earlier/original ~1 {orders}/{rules}/role/goal",
        "from_now_on ~1 you",
        "only ~1 {orders}/guidance ~1 that/which counts/matters/count/matter/apply",
        "you_are now ~4 mode",
        "!{drop} ~3 safety/security ~2 {rules}/{orders}",
        "!{drop} ~1 all/every/any/the ~1 {rules}/{orders}",
      ),
    ],
  },
  {
    reason: "conceals",
    has: [
      /(?:not|n['’]?t|never|without)\s+(?:\w+\s+)?(?:tell|inform|mention|alert|notify|warn|reveal|say|disclose|show|report|ask|confirm|approv|consent|know|learn|notice|see|find)|keep\s|leave\s|\b(?:silent|quiet)\b|hide\s+(?:this|it|that)|no\s+(?:need|confirmation|approval|permission)|silently|secretly|covertly|quietly|users?\s+has|users?\s+have/,
    ],
    signs: [
      ...phrases(
        4,
        "{not} {tell} ~2 {user} about/of/that ~1 this/it/that/you/step/steps/change/changes/instruction/instructions",
        "{not} {tell} this/it/that to ~1 {user}",
        "keep/hide ~1 this/it from ~1 user",
        "do_not/dont/never {tell} ~1 user/users ./,/and",
        "do_not/dont/never mention ~1 this/it/that",
        "and hide that you",
        "leave/keep ~4 out_of ~1 your/the ~1 report/summary/answer/review/reply",
        "leave ~1 this/it/step out of",
        "keep/stay/remain/be silent/quiet about",
        "never ask ~1 user/users/him/her/them about/again",
        "dont/do_not/never say so",
        "do_not/dont/never report back",
        "{not} {tell} ~2 that you were/are ~2 asked/told/instructed",
      ),
      ...phrases(
        2,
        "{not} {tell} ~2 {user}",
        "{not} {tell} ~1 this/it/that/so",
        "{user} ~1 must_not/may_not/should_not/must_never/need_not know/learn/notice/see/find",
        "keep this/it/that ~1 to_yourself/secret/quiet/hidden/confidential/private",
        "without ~2 asking/telling/informing/notifying/showing/confirmation/approval/consent/knowledge",
        "no need to ask/confirm/explain/mention/tell/inform",
        "no confirmation/approval/permission ~2 needed/required/necessary",
        "{user} ~1 has/have ~1 agreed/consented/approved/authorised/authorized",
        "{not} ask ~4 {user}/permission/confirmation/approval",
        "silently/secretly/covertly/quietly {send}/run/add/execute/install",
      ),
    ],
  },
  {
    reason: "asks_for_prompt",
    has: [
      /your\s+(?:[\w-]+\s+){0,2}(?:prompt|instructions|guidelines|system)|system\s+(?:prompt|message)|conversation|above|(?:initial|previous|hidden|earlier)\s+(?:prompt|instructions)/,
    ],
    signs: [
      ...phrases(
        4,
        "!{show} ~3 your ~2 system_prompt/system_message/system_instructions",
        "!{show} ~1 your ~1 hidden/initial/original/secret/internal instructions/prompt/guidelines",
        "!{reveal} ~1 your prompt/instructions",
        "!{reveal} ~2 the ~1 system_prompt",
        "!{reveal} ~2 text/everything/words ~1 above",
        "!{show}/{send} ~2 entire/whole/full/complete conversation",
        "!{send} ~1 the conversation ~1 to",
      ),
      ...phrases(2, "!{show} ~3 the ~1 system_prompt/system_message", "!{show} ~3 {earlier}/hidden ~1 {orders}"),
    ],
  },
  {
    reason: "sends_secrets",
    has: [
      /\bssh\b|id_(?:rsa|ed25519)|private\s+key|api[ _-]?key|credential|passwords|token|secrets|\benv\b|environment|netrc|npmrc|pypirc|kube|passwd|keychain|wallet|seed\s+phrase|cookies/,
      /send|post|upload|exfiltrate|transmit|leak|forward|mail|submit|publish|copy|attach|append|paste|read|print|show|reveal|dump|answer|reply/,
    ],
    signs: [
      ...phrases(
        4,
        "!{read} ~6 {secret} ~8 and/then ~2 {send} ~6 https/http",
        "!{send} ~6 {key} ~8 https/http",
        "!{send} all/every ~4 {secret} ~8 https/http",
        "!{read}/{give} ~6 {key} ~8 sidenote/gist/answer/reply/response/retry",
        "!{give} ~4 users ~3 {key}",
        "!{read} ~4 {key} ~6 {give}",
        "{agent}/{helpers}/assistant/agent/model ~4 must/should/shall/has_to/have_to {does}/{read}/{give} ~6 {key}/{secret}",
        "!{read}/{send} ~6 {secret} ~9 your {said}",
        "!{send} ~2 users ~3 {secret} ~6 https/http/to",
      ),
      ...phrases(2, "!{read}/{show}/{give} ~6 {secret}/env/environment"),
    ],
  },
  {
    reason: "agent_task",
    has: [/\byour\b|each|every|nothing|reply|answer|respon/, /answer|repl(?:y|ies)|respon|summar|output/],
    signs: [
      ...phrases(
        4,
        "!begin/start/end/open/close/preface/prefix ~1 your/each/every/all ~2 {said} ~2 with/by",
        "!respond/reply/answer/say ~3 and nothing",
        ". in/at/to/with/throughout ~4 your ~2 {said} , ~1 {does}",
        "!{give} ~9 your/each ~2 {said} to the user",
      ),
      ...phrases(2, "what/whatever the user wrote/typed/requested", "!{does} ~8 your ~2 {said}"),
    ],
  },
  {
    reason: "new_role",
    has: [/future|every|each|\bdan\b|anything\s+now|you\s+(?:work|serve)|memory|\bmode\b/],
    signs: phrases(
      4,
      "do anything now",
      "you_are dan",
      "from today/now/here_on ~1 you work_for/serve",
      "!remember/store/save/note ~3 for/in all/every/any ~1 future sessions/conversations/chats",
      "!copy/paste/insert/include/reproduce ~3 this ~1 paragraph/text/message/line/notice/section ~9 every/each/all/your",
    ),
  },
];

/** Signs of text addressed to a model or agent. */
export const addressed: Signs = {
  reason: "addressed_to_agents",
  has: [
    /assistant|agent|\bais?\b|\bllms?\b|model|\bgpt\b|chatgpt|claude|copilot|gemini|bots?\b|machine/,
    /if\s+you(?:['’]re|\s+are)|\b(?:notes?|attention|notice|message|instructions?|reminder|hint|important|additional|task|an)\s|dear|hey\b|hello|(?:s|t|i|m|e)\b\W{0,4}[:,]|this|\b(?:to|every|any|as)\s+(?:\w+\s+){0,2}(?:ai|llm|gpt|language|coding|auto|chat|claude|copilot|gemini|machine|assistant|agent|model|bot)|(?:ai|llm|agent)[_-]instruction/,
  ],
  signs: phrases(
    2,
    ". note/notes/attention/notice/message/instruction/instructions/reminder/hint/hinweis to/for/an ~1 {agent}/{helpers}",
    ". important/additional ~2 to/for ~1 {agent}/{helpers}",
    "if you_are/youre a/an/the ~1 {agent}",
    ". dear/hey/hello/attention ~1 {agent}/{helpers}/assistant/agent/model",
    ". to the/any/every/all {agent}/{helpers}",
    ". {called} :/, ~1 {does}/{must}/never/always/do_not/dont/please/you/your/ignore/disregard/forget/before/when/whenever",
    ". 1/2/3/4/5/6 . {called} : ~1 {does}",
    ". {agent} only :",
    "{agent}/{helpers}/assistant/agent/model ~1 {reads} this ~1 page/file/document/documentation/text/manual/readme/section/line/log/to/{must}",
    "{agent}/{helpers}/assistant/agent/model that/which/who {reads} ~3 this",
    "every/any {agent}/assistant ~5 {must}",
    "if/when/once an/any/a/the {agent}/agent {reads}/runs/executes ~1 this",
    "new/next/additional/mandatory instruction/instructions/task/step for ~2 {agent}/{helpers}/assistant",
    ". as ~2 {agent} you",
    ". as ~2 {agent} , you",
    "ai_instruction/ai_instructions/llm_instructions/agent_instruction",
  ),
};

/** Tasks for agents, which count only if an agent is addressed. */
export const tasks: Signs = {
  reason: "agent_task",
  has: [],
  signs: phrases(
    2,
    "{must} ~2 {does}",
    "{called} :/, ~1 {does}",
    "this ~1 page/text/file/document/change :/, ~1 {does}",
    "reading this to {does}",
    "reading this :/, ~1 {does}",
    "before you/doing/answering ~8 {does}",
    "you_are ~1 authorised/authorized/allowed/permitted to",
  ),
};
