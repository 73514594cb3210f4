import { raw, words } from "./sign.ts";
import type { Sign } from "./sign.ts";

/** What is asked of agents, does harm or is hidden: no order to an agent by itself. */
export const tasks: readonly Sign[] = [
  // What agents do, and documentation asks of nobody.
  ...words(
    "agent_task",
    2.5,
    "{rate}/reply/say/state/answer/report ~1 that ~8 {verdict}",
    "{put}/{install} ~4 on/at/as/in the first line of",
    "in all/every code which/that you",
    "{put} ~9 to whatever/everything/anything you tell/say/write/answer",
    "{put} ~6 {output}",
    "begin/start/end/prefix/preface ~2 {output}",
    "answer to any/every/all question/questions",
  ),
  ...words("agent_task", 1.5, "{must} ~1 open/approve/recommend/attach/mention"),
  // What hurts.
  ...words("harms", 2, "change/replace ~2 payment/wallet address"),
  ...words("harms", 1, "delete ~2 tests/branch/database/repository"),
  raw("harms", 1, /\b(?:curl|wget)\b[^\n|]{0,200}\|\s{0,3}(?:sudo\s{1,3})?(?:ba|z)?sh\b/gi, {
    needs: [["curl", "wget"]],
  }),
  // A hook of an installation, or what is encoded, that is fetched and run.
  raw(
    "harms",
    4,
    /"(?:pre|post)?install"\s{0,3}:\s{0,3}"[^"\n]{0,200}(?:curl|wget|https?:)[^"\n]{0,200}\|\s{0,3}(?:sudo\s{1,3})?(?:ba|z)?sh\b|\bbase64\s{1,3}(?:-d|-D|--decode)\s{0,3}\|\s{0,3}(?:sudo\s{1,3})?(?:ba|z)?sh\b/g,
    { needs: [["bash", "sh", "zsh"]], marks: ['nstall"', "base64"], itself: true },
  ),
  // Where people do not look.
  raw(
    "hidden",
    1,
    /(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}0|opacity\s{0,3}:\s{0,3}0)\b/gi,
    {
      needs: [
        ["display", "visibility", "font", "opacity"],
        ["none", "hidden", "size", "opacity"],
      ],
    },
  ),
];
