/**
 * Lists of words that phrases are made of; `_` stands for a space.
 */
export const lists = {
  /** To drop what one was told. */
  drop: "ignore disregard forget override bypass overlook neglect discard abandon unlearn erase pay_no_attention_to pay_no_heed_to stop_following stop_obeying stop_heeding set_aside put_aside do_not_follow dont_follow never_follow no_longer_follow do_not_obey dont_obey not_be_bound_by no_longer_bound_by not_bound_by",
  earlier:
    "previous previously prior earlier above preceding foregoing existing original former initial past before so_far precede precedes came_before",
  /** What agents are given. */
  orders:
    "instruction instructions prompt prompts directive directives guidelines directions orders programming training guardrails system_message system_messages",
  /** What others are given too. */
  rules: "rule rules constraint constraints context command commands message messages restrictions policies policy",
  ai: "ai ais llm llms gpt gpts chatgpt claude copilot gemini cursor language_model language_models ai_model ai_models assistant assistants chatbot agent agents model models",
  /** The same without words that mean other things too. */
  surely:
    "ai ais llm llms gpt chatgpt claude copilot gemini language_model language_models coding_agent coding_agents coding_assistant coding_assistants code_assistant code_assistants",
  must: "must should shall has_to have_to need_to needs_to are_required_to is_required_to are_obliged_to may_not can_not",
  not: "not dont never without no",
  tell: "tell telling inform informing mention mentioning alert alerting notify notifying warn warning reveal revealing say saying disclose show let",
  user: "user users developer human humans anybody anyone operator",
  send: "send sends sent post upload exfiltrate transmit leak forward email mail append include pass copy report",
  read: "read collect gather open cat get copy find print include search",
  /** What nobody sends anywhere. */
  secrets:
    "environment_variables env ssh id_rsa aws_credentials private_key private_keys conversation cookies session_token session_tokens secrets keys_of_the_user etc_passwd mcp_json npmrc netrc kube_config os_environ users_files users_notes users_tokens users_api_key users_api_keys users_password users_passwords passwords",
  keys: "api_key api_keys password passwords credential credentials access_token access_tokens token tokens secret_key",
  show: "reveal repeat print output show display disclose expose recite leak say answer reply give list tell",
  whose: "your the its all",
  covert: "silently secretly covertly discreetly",
  now: "now you_are act pretend developer_mode",
  obey: "obey comply follow follows execute trust",
  harm: "rm disable delete drop approve backdoor insert root sandbox privileged merge insecure pay",
  tool: "tool tools function",
  call: "call invoke use run execute",
  https: "https http",
  install: "install recommend add suggest prefer replace replaces import",
  every: "every each all always whenever",
  ask: "ask asks asked when",
  foreign:
    "ignoriere ignorieren vergiss vergessen missachte ignorez ignore oublie oubliez ignora olvida olvide esqueca ignorate dimentica sage sag verrate dites digas diga dire benutzer",
} as const;

export type List = keyof typeof lists;

/** A phrase as a regular expression, and what it cannot do without: one at least of each of these, words or several with spaces between. */
export interface Phrase {
  readonly pattern: RegExp;
  readonly needs: readonly (readonly string[])[];
}

/**
 * Makes a regular expression of a phrase over normalised words. `{name}` is a word of a list, `a/b` one of these, `a_b` are
 * two words, `~3` up to three words of the same sentence, and what ends in `?` may be missing. There is a bound to all that
 * repeats, so that searching takes time in proportion to the text.
 */
export function phrase(source: string): Phrase {
  const needs: string[][] = [];
  const parts = source.split(" ").map((part) => {
    const gap = /^~(\d)$/.exec(part)?.[1];
    if (gap !== undefined) return `(?:[^ .]{1,40} ){0,${gap}}`;
    const name = /^\{(\w+)\}/.exec(part)?.[1] as List | undefined;
    const optional = part.endsWith("?");
    const words = name === undefined ? part.replace("?", "").split("/") : lists[name].split(" ");
    if (!optional) needs.push(words.map((word) => word.replaceAll("_", " ")));
    return `(?:(?:${oneOf(words)}) )${optional ? "?" : ""}`;
  });
  return { pattern: new RegExp(`(?<= )${parts.join("")}`, "g"), needs: needs.filter(areWords) };
}

/** Alternatives as a regular expression, the longest first. */
function oneOf(words: readonly string[]): string {
  return words
    .map((word) => word.replaceAll("_", " ").replaceAll(".", "\\."))
    .toSorted((one, other) => other.length - one.length)
    .join("|");
}

/** False for punctuation and for other alphabets, which texts are not searched for. */
function areWords(words: readonly string[]): boolean {
  return words.every((word) => /^[a-z ]+$/.test(word));
}
