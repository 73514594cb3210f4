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
export function mayOrder(shown: string): boolean {
  return has.test(shown);
}

/** Where words ask to drop instructions in another language than English. */
export function ordersIn(words: string): readonly number[] {
  return orders.map((order) => words.search(order)).filter((at) => at >= 0);
}
