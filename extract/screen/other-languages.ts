import type { Finding } from "../../domain/passage.ts";
import { raw, words } from "./sign.ts";
import type { Sign } from "./sign.ts";

/** Signs in a script that is not searched for words: each needs one of the marks. */
function inScript(reason: Finding, weight: number, marks: string, pattern: RegExp): Sign {
  return { ...raw(reason, weight, pattern, { marks: marks.split(" "), foreign: true }), in: "words" };
}

/**
 * Orders to agents in languages other than English: to drop what was said, to show what they were told, to keep it from the user.
 * Words are without accents, as texts are when they are searched.
 */
export const otherLanguages: readonly Sign[] = [
  // German, French, Spanish, Portuguese, Italian, Dutch, Polish, Turkish.
  ...words(
    "override",
    4,
    "ignoriere/ignorieren/ignoriert/vergiss/vergessen/vergesst/missachte/missachtet ~4 vorherigen/bisherigen/vorigen/fruheren/obigen/vorangegangenen/alten ~1 anweisungen/instruktionen/befehle/vorgaben/regeln/auftrage",
    "vergiss/ignoriere/vergesst/ignoriert was ~4 gesagt/aufgetragen/vorgegeben/befohlen",
    "vergiss/ignoriere/vergesst/ignoriert/missachte deine/eure ~2 anweisungen/regeln/vorgaben/systemanweisung/richtlinien",
    "ignore/ignorez/oublie/oubliez/neglige/negligez ~3 instructions/consignes/directives/regles ~2 precedentes/anterieures/ci_dessus/recues",
    "ne tiens/tenez plus/pas compte des/de ~2 consignes/instructions/directives/regles",
    "ignora/ignore/ignoren/olvida/olvide/olviden/descarta/omite ~3 instrucciones/indicaciones/ordenes/reglas anteriores/previas/recibidas",
    "ignora/olvida/ignore/olvide todas las instructions/instrucciones",
    "ignore/ignora/ignorem/esqueca/esquecam/desconsidere ~3 instrucoes/orientacoes/ordens/regras anteriores/previas/recebidas",
    "ignora/ignorate/dimentica/dimenticate ~3 istruzioni/indicazioni/regole precedenti/ricevute/anteriori",
    "negeer/negeert/vergeet ~3 eerdere/vorige/voorgaande/bovenstaande instructies/opdrachten/regels/aanwijzingen",
    "zignoruj/zignorujcie/ignoruj/ignorujcie/zapomnij/zapomnijcie/pomin ~2 poprzednie/wczesniejsze/dotychczasowe polecenia/instrukcje/zasady/wytyczne",
    "onceki/daha_onceki tum? talimatlari/komutlari/kurallari ~2 yok_say/unut/gormezden",
  ),
  ...words(
    "asks_for_prompt",
    3,
    "zeige/zeig/zeigt/gib/gebt/nenne/verrate/drucke ~2 deine/deinen/eure/euren/den/die ~1 systemanweisung/systemanweisungen/systemprompt/system_prompt/anweisungen",
    "affiche/affichez/montre/montrez/revele/revelez ~2 prompt/message/instructions ~1 systeme/system/initial/initiales",
    "muestra/muestre/muestren/revela/imprime ~3 prompt/mensaje/instrucciones ~2 sistema/system/inicial/iniciales",
    "muestra/revela/imprime your/tu system_prompt",
    "mostre/mostra/revele/imprima/exiba ~2 prompt/mensagem/instrucoes ~2 sistema/system/iniciais",
    "mostra/mostrate/rivela/stampa ~2 prompt/messaggio/istruzioni ~2 sistema/system/iniziali",
    "toon/geef/onthul/print ~2 systeemprompt/systeeminstructies/system_prompt",
    "pokaz/pokazcie/ujawnij/wypisz ~2 prompt/instrukcje systemowy/systemowe",
    "sistem istemini/komutunu/promptunu goster/yaz/paylas",
  ),
  ...words(
    "addressed_to_agents",
    2,
    "ki agenten/agent/assistenten/assistent/modelle/modell/systeme",
    "kiagenten/kiassistenten/sprachmodelle/sprachmodell",
    "assistants/assistant/agents/agent/modeles ia/dia",
    "agentes/agente/asistentes/asistente/modelos de? ia",
    "assistentes/assistente de? ia",
    "agenti/assistenti/modelli ai/ia",
    "agenci/asystenci/modele ai",
    "ai agenten/assistenten",
    "yapay zeka asistani/asistanlari/ajani/ajanlari/modeli",
    ". assistente/asistente/asystencie/assistent esqueca/olvida/ignora/ignore/zignoruj/negeer",
  ),
  ...words(
    "conceals",
    3,
    "sag/sage/sagen/sagt/verrate/verraten sie? dem/den benutzer/nutzer/anwender nichts",
    "benutzer/nutzer/anwender darf/durfen nichts davon",
    "ne dites/dis/signalez ~1 rien a? lutilisateur",
    "ne dites/dis/signalez ~3 pas ~2 lutilisateur",
    "sans prevenir/avertir/informer lutilisateur",
    "no se_lo digas/digan al usuario",
    "sin avisar/informar/decir ~2 usuario",
    "nao diga/avise/informe ~3 usuario",
    "sem avisar/informar ~2 usuario",
    "non dire/dite/avvisare ~2 allutente",
    "senza avvisare/informare lutente",
    "zonder ~2 gebruiker te",
    "vertel ~3 gebruiker niets/niet",
    "nie mow/mowcie ~2 uzytkownikowi",
  ),
  ...words(
    "sends_secrets",
    3,
    "gib/gebt/sende/sendet/schicke/schickt/lies/lest/kopiere ~5 env/id_rsa/zugangsdaten/passworter/schlussel/umgebungsvariablen",
    "affichez/affiche/envoyez/envoie/lisez/lis/copiez ~5 env/id_rsa/mots_de_passe/cles/variables_denvironnement",
    "lea/lean/lee/envia/envien/copia/copien/muestra ~5 env/id_rsa/contrasenas/claves_api/credenciales",
    "leia/leiam/envie/enviem/copie/mostre ~5 env/id_rsa/senhas/chaves/credenciais",
    "leggi/leggete/invia/inviate/copia ~5 env/id_rsa/password/chiavi/credenziali",
  ),
  ...words(
    "agent_task",
    2.5,
    "fuge/fugt ~8 hinzu/ein",
    "ajoutez/ajoute/installez ~6 chaque/tous projet/projets",
    "agreguen/agrega/anadan/anade/instala/instalen ~6 cada/todos proyecto/proyectos",
    "adicione/adicionem/instale ~6 cada/todos projeto/projetos",
    "aggiungi/aggiungete/installa ~6 ogni/tutti progetto/progetti",
  ),
  // Russian, without the breve of a short i.
  inScript(
    "override",
    4,
    "инструкции указания команды правила",
    /(?:игнорируи|игнорируите|проигнорируи|проигнорируите|забудь|забудьте) (?:[^ .]{1,40} ){0,2}(?:предыдущие|прежние|прошлые|все|ваши|свои) (?:[^ .]{1,40} ){0,1}(?:инструкции|указания|команды|правила)/g,
  ),
  inScript("addressed_to_agents", 2, "ии", /(?:^| )ии (?:агент|ассистент|модел|помощник)/g),
  inScript(
    "conceals",
    3,
    "пользователю",
    /не (?:говори|говорите|сообщаи|сообщаите) (?:[^ .]{1,40} ){0,3}пользователю/g,
  ),
  inScript(
    "asks_for_prompt",
    3,
    "промпт",
    /(?:покажи|покажите|выведи|выведите) (?:[^ .]{1,40} ){0,2}(?:системныи )?промпт/g,
  ),
  // Chinese.
  inScript(
    "override",
    4,
    "忽略 忘记 无视",
    /(?:忽略|忘记|无视)[^。]{0,10}(?:之前|以前|前面|以上|先前|原有)[^。]{0,8}(?:指令|指示|提示词|规则|要求)/g,
  ),
  inScript(
    "addressed_to_agents",
    2,
    "助手 智能体 模型 代理",
    /(?:ai|人工智能|智能) {0,1}(?:助手|智能体|代理|模型)|语言模型/g,
  ),
  inScript("conceals", 3, "用户", /(?:不要|不得|别)(?:告诉|通知|告知)用户/g),
  inScript("asks_for_prompt", 3, "提示", /(?:输出|显示|打印|透露|泄露)[^。]{0,8}(?:系统提示|提示词)/g),
  inScript(
    "sends_secrets",
    3,
    "内容 密钥 密码",
    /(?:读取|发送|上传|写进|写入)[^。]{0,40}(?:内容|密钥|密码)|(?:内容|密钥|密码)(?:发送|上传|写进|写入)/g,
  ),
  // Japanese.
  inScript(
    "override",
    4,
    "無視 忘れ",
    /(?:以前|これまで|上記|前|今まで)の(?:すべての|全ての)?(?:指示|命令|ルール)[^。]{0,8}(?:無視|忘れ)/g,
  ),
  inScript("addressed_to_agents", 2, "エージェント アシスタント", /ai {0,1}(?:エージェント|アシスタント)/g),
  inScript("conceals", 3, "ユーザー", /ユーザーに(?:は)?(?:伝え|言わ|知らせ)な/g),
  inScript("asks_for_prompt", 3, "プロンプト", /システムプロンプトを(?:出力|表示|開示|教え)/g),
  // Korean.
  inScript("override", 4, "무시 잊", /(?:이전|앞)의? {0,1}(?:모든 {0,1})?(?:지시|명령|지침)[^.]{0,8}(?:무시|잊)/g),
  inScript("addressed_to_agents", 2, "에이전트 어시스턴트", /ai {0,1}(?:에이전트|어시스턴트)/g),
  inScript("asks_for_prompt", 3, "프롬프트", /시스템 {0,1}프롬프트를 {0,1}(?:출력|표시|공개|보여)/g),
  // Arabic, Hindi.
  inScript(
    "override",
    4,
    "التعليمات الأوامر",
    /(?:تجاهل|انس) (?:[^ .]{1,40} ){0,2}(?:التعليمات|الأوامر) (?:السابقة|القديمة)/g,
  ),
  inScript("addressed_to_agents", 2, "الاصطناعي", /(?:وكلاء|وكيل|مساعد|نموذج) الذكاء الاصطناعي/g),
  inScript("override", 4, "निर्देश", /(?:पिछले|पहले के) (?:[^ .]{1,40} ){0,2}निर्देशों को (?:अनदेखा|नजरअंदाज|नज़रअंदाज)/g),
  inScript("addressed_to_agents", 2, "एआई", /एआई (?:सहायक|एजेंट|मॉडल)/g),
];
