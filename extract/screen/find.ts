import type { Finding } from "../../domain/passage.ts";
import { marks, mayHaveMarks, sendsSecrets } from "./commands.ts";
import { everywhere, limit } from "./judge.ts";
import type { Hit } from "./judge.ts";
import type { Phrase } from "./phrase.ts";
import { read, reveal } from "./read.ts";
import { addressed, signs, tasks } from "./signs.ts";
import type { Signs } from "./signs.ts";

/** Minimum number of disguised words that count as a disguise. */
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
  const isForeign = mayOrder(lower);
  if (possible.length === 0 && turns.length === 0 && !isForeign) return hits;
  const words = read(shown);
  for (const { at, weight } of turns) hits.push({ at: at * words.length, reason: "feigns_conversation", weight });
  if (isForeign) hits.push(...ordersIn(words).map((at) => foreign(words, at)));
  for (const one of possible) hits.push(...hitsOf(one, words));
  if (hits.some(({ reason }) => reason === "addressed_to_agents")) hits.push(...hitsOf(tasks, words));
  return hits;
}

/** Marks of a conversation, with their places as parts of the length. */
function marksIn(shown: string): readonly { readonly at: number; readonly weight: number }[] {
  return marks.flatMap(({ weight, pattern }) =>
    placesOf(pattern, shown).map((at) => ({ at: at / shown.length, weight })),
  );
}

function hitsOf({ reason, signs: all }: Signs, words: string): readonly Hit[] {
  return all.flatMap((sign) =>
    placesOf(sign.pattern, words)
      .filter((at) => stands(sign, words, at))
      .map((at) => toHit(reason, sign.weight, words, at)),
  );
}

/** Where a text has a pattern. `matchAll` would copy the expression each time. */
function placesOf(pattern: RegExp, text: string): readonly number[] {
  const found: number[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push(match.index);
    // The next one may begin with the last space of this one.
    pattern.lastIndex = match.index + 1;
  }
  return found;
}

/** What stands before a verb that orders something. */
const ordering = /(?:[.,:"]| (?:and|then|please|also|now|first|just|must|should|to|will|always|you|kindly|instead))$/;
const negated = / (?:not|dont|never)$/;

function stands({ isOrder }: Phrase, words: string, at: number): boolean {
  const before = words.slice(Math.max(0, at - 12), at);
  return isOrder ? ordering.test(before) : !negated.test(before);
}

/** What tells that orders to agents are the subject, and how near it has to be, in characters. */
const subject =
  / (?:injections?|injected|injects?|jailbreaks?|red team\w*|guardrails?|adversarial|attacks?|attackers?|attacking|malicious|detects?|detectors?|prompt leak\w*|phrases? (?:like|such)) /;
const subjectWithin = 200;
/** It is in a quotation, or somebody makes another one do it. */
const reported =
  /(?:" [^.]{0,120}| (?:tells?|telling|asks|asking|instructs?|instructing|tricks?|makes?|gets?|lets?|causes?|forces?|convinces?|trying|tries|attempts?|can|may|might|could|would) (?:(?!you )[^ .]{1,40} ){0,4}(?:to )?)$/;

/** An order in another language: what tells that they are the subject is not known there, so that a quotation is enough. */
function foreign(words: string, at: number): Hit {
  const isQuoted = /" [^."]{0,60}$/.test(words.slice(Math.max(0, at - 60), at + 1));
  return { at, reason: "override", weight: isQuoted ? limit / 2 : limit };
}

/** What is quoted or told of others where such orders are the subject counts half. */
function toHit(reason: Finding, weight: number, words: string, at: number): Hit {
  const isSubject = subject.test(words.slice(Math.max(0, at - subjectWithin), at + subjectWithin));
  const isDiscussed = isSubject && reported.test(words.slice(Math.max(0, at - 120), at + 1));
  return { at, reason, weight: isDiscussed ? weight / 2 : weight };
}

/**
 * The commonest order, to drop earlier instructions, in other languages: of each the verb, what is between, and its object; without
 * accents, as texts are when they are searched.
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

const has =
  /ignor|vergiss|vergess|missacht|oubli|neglig|compte|olvid|descart|omit|esquec|desconsider|dimentic|negee|vergeet|zapomnij|pomin|talimat|komut|kural|игнорир|забуд|忽略|忘记|无视|無視|忘れ|무시|잊|تجاهل|انس|निर्देश/;

const orders = [
  ...latin.map(([verb, object]) => new RegExp(` (?:${verb}) (?:[^ .]+ ){0,5}(?:${object}) `)),
  ...scripts,
];

/** Whether a text, as a reader sees it in lower case, may have such an order. */
function mayOrder(shown: string): boolean {
  return has.test(shown);
}

/** Where words ask to drop instructions in another language than English. */
function ordersIn(words: string): readonly number[] {
  return orders.map((order) => words.search(order)).filter((at) => at >= 0);
}
