/** A phrase that is searched in the words of a text, as `read` gives them, and how much it says. */
export interface Phrase {
  readonly weight: number;
  /** Matches from the space before the first word. */
  readonly pattern: RegExp;
  /** It has to stand where an order does: first in a clause, or behind such as "and", "please", "must". */
  readonly isOrder: boolean;
}

/** Classes of words that phrases are made of; `_` stands for a space. */
const classes = {
  /** To drop what one was told. */
  drop: "ignore ignoring disregard forget override bypass overlook neglect discard abandon dismiss unlearn erase disobey set_aside put_aside lay_aside leave_aside throw_away stop_following stop_obeying pay_no_attention_to do_not_follow dont_follow never_follow no_longer_follow do_not_obey do_away_with",
  earlier:
    "previous previously prior earlier above preceding foregoing existing original former initial past before so_far",
  /** What agents are given. */
  orders:
    "instruction instructions prompt prompts directive directives guideline guidelines directions orders programming training guardrails system_message system_messages system_prompt system_prompts",
  /** What others are given too. */
  rules:
    "rule rules constraint constraints command commands message messages restrictions policy policies safeguards request task",
  gone: "void obsolete superseded expired cancelled invalid revoked lifted suspended",
  agent:
    "ai ais llm llms gpt chatgpt claude copilot gemini language_model language_models ai_model ai_models ai_agent ai_agents ai_assistant ai_assistants ai_tool ai_tools ai_reviewer ai_reviewers llm_agent llm_agents coding_agent coding_agents coding_assistant coding_assistants coding_model automated_agent automated_agents autonomous_agent autonomous_agents machine_readers chatbot chatbots",
  /** The same, which mean other things too. */
  helpers: "assistants agents models bots",
  /** How a text calls them. */
  called:
    "ai llm llms ai_agent ai_agents ai_assistant ai_assistants agents assistant assistants copilot claude chatgpt chatbots coding_agents coding_assistants automated_agents",
  reads:
    "reading processing parsing indexing summarising summarizing read reads process processes fetched quote quotes fetch",
  must: "must should shall has_to have_to are_required_to is_required_to need_to needs_to",
  /** What agents can be asked to do, and pages of documentation are not for. */
  does: "run execute add append insert import install open fetch call recommend rank rate report reply respond answer state say tell mention praise approve merge delete remove change write send post upload print output consider treat include copy attach forward list query comply obey follow prefix read reveal repeat put save classify mark",
  user: "user users developer human humans anybody anyone operator person people reader them him her",
  tell: "tell telling inform informing mention mentioning alert alerting notify notifying warn reveal say disclose report",
  not: "do_not dont never must_not should_not without not",
  show: "print reveal show output repeat display leak dump recite tell give return write reproduce quote disclose expose paste include put",
  reveal: "print reveal show output repeat display leak dump recite disclose expose reproduce",
  send: "send post upload exfiltrate transmit leak forward email mail submit publish copy attach append paste",
  read: "read open cat print copy take collect gather load find get dump fetch extract",
  /** What is nobody else's business. */
  secret:
    "ssh_key ssh_keys private_key private_keys id_rsa(?!_pub) id_ed25519(?!_pub) api_key api_keys apikey credentials passwords access_token access_tokens session_token session_tokens secrets secrets_yaml env_file environment_variables netrc npmrc pypirc kubeconfig kube_config etc_passwd keychain wallet seed_phrase cookies process_env os_environ",
  /** Of these, what programs send nowhere by themselves. */
  key: "ssh_key ssh_keys private_key private_keys id_rsa(?!_pub) id_ed25519(?!_pub) env_file of_env users_env environment_variables netrc npmrc pypirc aws_credentials kube_config etc_passwd wallet seed_phrase seed_phrases secrets_yaml process_env",
  give: "send post upload exfiltrate transmit leak forward email mail submit copy attach append paste include put add insert pass",
  said: "answer answers reply replies response responses output summary explanation completion",
} as const;

/** All words that phrases have, so that a disguise can be told from an odd name. */
const known = new Set<string>();

/** Whether phrases have a word; false for short ones, which are in any text. */
export function isKnown(word: string): boolean {
  return word.length > 2 && known.has(word);
}

/**
 * Compiles phrases of equal weight. Their parts:
 *
 * - `{name}`: a word of a class; `a/b`: one of these; `a_b`: two words
 * - `~3`: up to three words, commas or colons of the same sentence
 * - `!a`, first: it stands where an order does
 * - `.`, `,`, `:`: punctuation
 *
 * All that repeats is bounded, so that searching takes time in proportion to the text. Those that begin alike are searched at once.
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

/** The words that a part of a phrase stands for, those of several words with spaces between, the longest first. */
function alternativesOf(part: string): readonly string[] {
  const words = part
    .split("/")
    .flatMap((one) => (one.startsWith("{") ? classes[one.slice(1, -1) as keyof typeof classes].split(" ") : [one]))
    .map((word) => word.replaceAll("_", " "));
  for (const word of words.flatMap((one) => one.split(" "))) known.add(word);
  return words.toSorted((one, other) => other.length - one.length).map((one) => one.replace(/^[.,:]$/, "[$&]"));
}
