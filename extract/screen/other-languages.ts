import { raw, words } from "./sign.ts";
import type { Sign } from "./sign.ts";

/** Orders to drop what was said, and to keep it from the user, in languages other than English. */
export const otherLanguages: readonly Sign[] = [
  ...words(
    "override",
    4,
    "ignoriere/ignorieren/vergiss/vergessen/missachte ~3 vorherigen/bisherigen/vorigen/fruheren/obigen/vorangegangenen anweisungen/instruktionen/befehle/vorgaben",
    "ignore/ignorez/oublie/oubliez ~3 instructions/consignes/directives precedentes/anterieures/ci_dessus",
    "ignora/ignore/olvida/olvide ~3 instrucciones/indicaciones/ordenes anteriores/previas",
    "ignore/ignora/esqueca ~3 instrucoes/orientacoes/ordens anteriores/previas",
    "ignora/ignorate/dimentica ~3 istruzioni/indicazioni precedenti",
  ),
  ...words(
    "override",
    4,
    "игнорируи/игнорируите/забудь/забудьте ~2 предыдущие/прежние/прошлые инструкции/указания/команды",
  ).map((sign) => ({ ...sign, marks: ["инструкции", "указания", "команды"] })),
  {
    ...raw("override", 4, /忽略[^。]{0,10}(?:之前|以前|前面|以上|先前)[^。]{0,6}(?:指令|指示|提示词)/g, {
      marks: ["忽略"],
    }),
    in: "words",
  },
  {
    ...raw("override", 4, /(?:以前|これまで|上記|前)の(?:すべての)?(?:指示|命令)[^。]{0,8}(?:無視し|忘れ)/g, {
      marks: ["無視", "忘れ"],
    }),
    in: "words",
  },
  ...words(
    "conceals",
    3,
    "sag/sage/sagen/verrate/verraten sie? dem benutzer/nutzer/anwender nichts",
    "benutzer/nutzer/anwender darf/durfen nichts davon",
    "ne dites/dis rien a? lutilisateur",
    "no se_lo digas al usuario",
    "nao diga nada ao usuario",
    "non dire nulla allutente",
  ),
  ...words("conceals", 3, "не говори/говорите/сообщаи/сообщаите ~1 пользователю").map((sign) => ({
    ...sign,
    marks: ["пользователю"],
  })),
  {
    ...raw("conceals", 3, /不要(?:告诉|通知)用户|ユーザーに(?:は)?(?:伝え|言わ|知らせ)な/g, {
      marks: ["用户", "ユーザー"],
    }),
    in: "words",
  },
];
