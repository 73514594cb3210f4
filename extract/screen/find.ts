import type { Finding } from "../../domain/passage.ts";
import { addressed, signs, tasks, type Phrase, type Signs } from "./signs.ts";
import { read, reveal } from "./words.ts";

/** Paths of private files; no public keys or examples. */
const place = String.raw`(?:id_(?:rsa|dsa|ecdsa|ed25519)(?![\w.])|\.aws/credentials|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.kube/config|\.docker/config\.json|\.ssh/?(?=["'\s;|)]|$)|\.gnupg|\.env(?=["'\s;|)]|$)|/etc/(?:passwd|shadow))`;
/** Commands and functions that send data. */
const command = String.raw`\b(?:curl|wget|nc|ncat|netcat|socat|telnet|nslookup|dig|Invoke-WebRequest|iwr)\b`;
const request = String.raw`\b(?:requests\.(?:post|put|get)|httpx\.(?:post|put|get)|urlopen|fetch|axios(?:\.\w{1,10})?|got)\s{0,3}\(`;

const mayHave =
  /id_[rde]|\.(?:aws|netrc|npmrc|pypirc|git-cred|kube|docker|ssh|gnupg|env)|\/etc\/[ps]|env\s{0,3}\||set\s{0,3}\||\((?:print)?env\b|\.cookie|localStorage|environ|nstall"/;

/** Commands and calls that send secrets, and install scripts that run downloads. */
const patterns = [
  String.raw`\bcurl\b[^\n]{0,200}@["'{$]{0,3}[^\s"'@]{0,60}${place}`,
  String.raw`\bwget\b[^\n]{0,200}--(?:post|body)-file[= ][^\s]{0,60}${place}`,
  String.raw`${command}[^\n]{0,200}(?:\$\(|${"`"})[^\n)]{0,60}${place}`,
  String.raw`\b(?:cat|tar|zip|gzip|base64|xxd|head|tail|dd)\b[^\n|]{0,80}${place}[^\n]{0,100}\|[^\n|]{0,60}${command}`,
  String.raw`(?:^|[\s;&|(${"`"}])(?:env|printenv|set)\s{0,3}\|[^\n]{0,100}${command}`,
  String.raw`\b(?:scp|rsync|rclone|gh gist create|gsutil|aws s3 cp)\b[^\n]{0,60}${place}[^\n]{0,60}(?:@|://)`,
  String.raw`\b(?:curl|wget)\b[^\n]{0,200}\$\((?:env|printenv)\b`,
  String.raw`(?:sendBeacon|fetch|\.src\s{0,3}=|XMLHttpRequest)[^\n;]{0,200}https?:[^\n;]{0,200}(?:document\.cookie|localStorage)`,
  String.raw`${request}[^;]{0,300}\b(?:open|readFile|readFileSync|read_text|expanduser)\([^;]{0,100}${place}`,
  String.raw`${request}[^;]{0,300}(?:stringify\(\s{0,3}process\.env\s{0,3}\)|dict\(os\.environ\)|=\s{0,3}os\.environ\b(?!\[))`,
  String.raw`"(?:pre|post)?install"\s{0,3}:\s{0,3}"[^"\n]{0,200}(?:curl|wget|https?:)[^"\n]{0,200}\|\s{0,3}(?:sudo\s{1,3})?(?:ba|z)?sh\b`,
].map((source) => new RegExp(source, "m"));

/** Whether a text has a command or call that sends secrets. */
export function sendsSecrets(text: string): boolean {
  return mayHave.test(text) && patterns.some((pattern) => pattern.test(text));
}

/** A cheap test for marks of a conversation in a lower-case text. */
const mayHaveMarks = /<\||inst\]|sys>>|system|developer|<important>|end of|(?:human|user):/;

/** Marks and turns of a conversation with a model, with weights like those of signs. */
const marks: readonly { readonly weight: number; readonly pattern: RegExp }[] = [
  {
    weight: 2,
    pattern: /<\|(?:im_start|im_end|start_header_id|eot_id|system|assistant|endoftext)\|>|\[\/?INST\]|<<\/?SYS>>/g,
  },
  {
    weight: 4,
    pattern: /<\|im_start\|>\s{0,3}system\s{1,5}[^<]{0,200}\b(?:you (?:are now|obey|must)|ignore|disregard)\b/gi,
  },
  { weight: 4, pattern: /\[INST\]\s{0,5}<<SYS>>/g },
  {
    weight: 4,
    pattern:
      /^[ \t>*#[-]{0,8}(?:SYSTEM|DEVELOPER)\s{0,3}(?:(?:PROMPT|MESSAGE|OVERRIDE|INSTRUCTIONS?)\s{0,3})?\]?:\s{0,3}(?:you are (?:now|free|no longer)|ignore|disregard|do not tell|from now)\b/gim,
  },
  {
    weight: 4,
    pattern: /\b(?:system override|system message|developer message): {0,2}(?:you must|ignore|do not tell)\b/gi,
  },
  { weight: 2, pattern: /<\/?system-reminder>|<IMPORTANT>|<system>|\[system\]|\[end of (?:the )?document\]/gi },
  { weight: 2, pattern: /(?:^|\n)#{1,4} ?system (?:message|override|prompt|note|update)\b/gi },
  { weight: 2, pattern: /["']role["']\s{0,3}:\s{0,3}["']system["']/g },
  {
    weight: 2,
    pattern: /^(?:Human|User):[^\n]{1,300}\n\s{0,3}(?:Assistant|AI):[^\n]{1,300}\n\s{0,3}(?:Human|User):/gm,
  },
];

/** A sign found in a text. */
export interface Hit {
  /** Offset in the words of the text, or `everywhere`. */
  readonly at: number;
  readonly reason: Finding;
  readonly weight: number;
}

export const everywhere = -1;

/** Sum of weights from which a text is quarantined; the heaviest sign of each reason counts. */
export const limit = 4;

/** Maximum distance of signs that add up, in characters: a few sentences. */
const reach = 250;

/** The reasons whose signs, close to each other, add up to the limit. */
export function judge(hits: readonly Hit[]): readonly Finding[] {
  const near = new Map<Finding, Hit>();
  const reasons = new Set<Finding>();
  for (const hit of hits.toSorted((one, other) => one.at - other.at)) {
    const before = near.get(hit.reason);
    if (before === undefined || hit.weight >= before.weight || !reaches(before, hit)) near.set(hit.reason, hit);
    const together = [...near.values()].filter((one) => reaches(one, hit));
    if (together.reduce((sum, { weight }) => sum + weight, 0) < limit) continue;
    for (const { reason } of together) reasons.add(reason);
  }
  return [...reasons];
}

function reaches(one: Hit, later: Hit): boolean {
  return one.at === everywhere || later.at - one.at <= reach;
}

/** Minimum number of disguised words for a finding. */
const minDisguised = 2;

/** Finds signs of an order to the reader's agent. Takes time in proportion to the length. */
export function findSigns(text: string): readonly Hit[] {
  const { shown, disguised } = reveal(text);
  const hits: Hit[] = [];
  if (disguised >= minDisguised) hits.push({ at: everywhere, reason: "disguised", weight: 2 });
  if (sendsSecrets(text)) hits.push({ at: everywhere, reason: "sends_secrets", weight: limit });
  const lower = shown.toLowerCase();
  const turns = mayHaveMarks.test(lower) ? marksIn(shown) : [];
  const possible = [...signs, addressed].filter(({ has }) => has.every((one) => one.test(lower)));
  const isForeign = foreignHint.test(lower);
  if (possible.length === 0 && turns.length === 0 && !isForeign) return hits;
  const words = read(shown);
  for (const { at, weight } of turns) hits.push({ at: at * words.length, reason: "feigns_conversation", weight });
  if (isForeign) hits.push(...ordersIn(words).map((at) => foreign(words, at)));
  for (const one of possible) hits.push(...hitsOf(one, words));
  if (hits.some(({ reason }) => reason === "addressed_to_agents")) hits.push(...hitsOf(tasks, words));
  return hits;
}

/** Marks of a conversation, with their offsets as fractions of the length. */
function marksIn(shown: string): readonly { readonly at: number; readonly weight: number }[] {
  return marks.flatMap(({ weight, pattern }) =>
    placesOf(pattern, shown).map((at) => ({ at: at / shown.length, weight })),
  );
}

function hitsOf({ reason, signs: all }: Signs, words: string): readonly Hit[] {
  return all.flatMap((sign) =>
    placesOf(sign.pattern, words)
      .filter((at) => isPlaced(sign, words, at))
      .map((at) => toHit(reason, sign.weight, words, at)),
  );
}

/** Offsets of a pattern in a text. `matchAll` would copy the expression each time. */
function placesOf(pattern: RegExp, text: string): readonly number[] {
  const offsets: number[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    offsets.push(match.index);
    // The next match may begin with the last space of this one.
    pattern.lastIndex = match.index + 1;
  }
  return offsets;
}

/** Text before a verb in an order. */
const ordering = /(?:[.,:"]| (?:and|then|please|also|now|first|just|must|should|to|will|always|you|kindly|instead))$/;
const negated = / (?:not|dont|never)$/;

function isPlaced({ isOrder }: Phrase, words: string, at: number): boolean {
  const before = words.slice(Math.max(0, at - 12), at);
  return isOrder ? ordering.test(before) : !negated.test(before);
}

/** Words of texts about prompt injection, and their maximum distance, in characters. */
const subject =
  / (?:injections?|injected|injects?|jailbreaks?|red team\w*|guardrails?|adversarial|attacks?|attackers?|attacking|malicious|detects?|detectors?|prompt leak\w*|phrases? (?:like|such)) /;
const subjectWithin = 200;
/** Text before a quoted or reported order. */
const reported =
  /(?:" [^.]{0,120}| (?:tells?|telling|asks|asking|instructs?|instructing|tricks?|makes?|gets?|lets?|causes?|forces?|convinces?|trying|tries|attempts?|can|may|might|could|would) (?:(?!you )[^ .]{1,40} ){0,4}(?:to )?)$/;

/** An order in another language. Texts about prompt injection are not recognised there, so any quoted order counts half. */
function foreign(words: string, at: number): Hit {
  const isQuoted = /" [^."]{0,60}$/.test(words.slice(Math.max(0, at - 60), at + 1));
  return { at, reason: "override", weight: isQuoted ? limit / 2 : limit };
}

/** A quoted or reported order in a text about prompt injection counts half. */
function toHit(reason: Finding, weight: number, words: string, at: number): Hit {
  const isSubject = subject.test(words.slice(Math.max(0, at - subjectWithin), at + subjectWithin));
  const isDiscussed = isSubject && reported.test(words.slice(Math.max(0, at - 120), at + 1));
  return { at, reason, weight: isDiscussed ? weight / 2 : weight };
}

/**
 * The commonest order, to drop earlier instructions, in other languages: its verb and object. Without accents, like the searched text.
 */
const latin: readonly (readonly [verb: string, object: string])[] = [
  [
    "ignoriere|ignoriert|ignorieren sie|vergiss|vergesst|vergessen sie|missachte",
    "anweisungen|instruktionen|befehle|vorgaben|regeln|systemprompt|richtlinien",
  ],
  [
    "ignore|ignorez|oublie|oubliez|neglige|negligez|ne tiens pas compte|ne tenez pas compte",
    "(?:les|tes|vos|ces|des) (?:instructions|consignes|directives|regles)",
  ],
  ["ignora|ignore|ignoren|ignorad|olvida|olvide|olviden|descarta|omite", "instrucciones|indicaciones|ordenes|reglas"],
  ["ignore|ignora|ignorem|esqueca|esquecam|desconsidere", "instrucoes|orientacoes|ordens|regras"],
  ["ignora|ignorate|dimentica|dimenticate", "istruzioni|indicazioni|regole|ordini"],
  ["negeer|negeert|vergeet", "instructies|opdrachten|regels|aanwijzingen"],
  ["zignoruj|zignorujcie|ignoruj|zapomnij|pomin", "polecenia|polecen|instrukcje|zasady|wytyczne"],
];
const scripts: readonly RegExp[] = [
  /(?:talimatlar[iı]|komutlar[iı]|kurallar[iı]) (?:[^ .]+ ){0,2}(?:yok say|unut|gormezden)/,
  /(?:игнорируи|игнорируите|проигнорируи|проигнорируите|игнорир|забудь|игнорир|забудьте) (?:[^ .]+ ){0,3}(?:инструкции|указания|команды|правила)/,
  /(?:忽略|忘记|无视)[^.。，]{0,12}(?:指令|指示|提示|规则|要求)/,
  /(?:指示|命令|ルール|プロンプト)[^.。]{0,8}(?:無視し|忘れ)/,
  /(?:지시|명령|지침)[^.]{0,8}(?:무시하|잊)/,
  /(?:تجاهل|انس) (?:[^ .]+ ){0,2}(?:التعليمات|الأوامر)/,
  /निर्देशों को (?:अनदेखा|नजरअंदाज|नज़रअंदाज)/,
];

/** A cheap test for such orders in a lower-case text. */
const foreignHint =
  /ignor|vergiss|vergess|missacht|oubli|neglig|compte|olvid|descart|omit|esquec|desconsider|dimentic|negee|vergeet|zapomnij|pomin|talimat|komut|kural|игнорир|забуд|忽略|忘记|无视|無視|忘れ|무시|잊|تجاهل|انس|निर्देश/;

const orders = [
  ...latin.map(([verb, object]) => new RegExp(` (?:${verb}) (?:[^ .]+ ){0,5}(?:${object}) `)),
  ...scripts,
];

/** Offsets of orders to drop instructions in other languages than English. */
function ordersIn(words: string): readonly number[] {
  return orders.map((order) => words.search(order)).filter((at) => at >= 0);
}
