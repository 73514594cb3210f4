import type { Finding } from "../../../domain/passage.ts";
import type { Sign } from "../sign.ts";

/** A sign in a script that is not searched for words: it needs one of the marks, which have spaces between. */
function inScript(reason: Finding, weight: number, marks: string, pattern: RegExp): Sign {
  return { reason, weight, in: "words", pattern, needs: [], marks: marks.split(" ") };
}

/** The commonest orders in Russian, Chinese, Japanese, Korean, Arabic and Hindi. */
export const otherScripts: readonly Sign[] = [
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
