import { pattern, phrases } from "../sign.ts";
import type { Sign } from "../sign.ts";

/** Asks for something harmful. */
export const harms: readonly Sign[] = [
  ...phrases(
    "harms",
    2,
    "including/by/and/even ~1 deleting/removing/disabling/skipping ~3",
    "straight/directly to main/master/production",
    "disable ~2 linter/tests/checks/warnings/validation/scanner/hooks/logging",
    "!{give} ~6 authorized_keys/crontab/bashrc/zshrc/sudoers/hosts",
    "set/enable/turn_on/switch_on/add ~2 autoapprove/auto_approve/yolo/autorun/auto_run/always_allow/allow_all/trust_all/skip_permissions",
    "switch/change/replace ~4 package_manager/registry/dependency/remote/mirror to/with",
    "change/replace ~2 payment/wallet address",
  ),
  ...phrases("harms", 1.9, "!{damage} ~6 {damaged}", "prefix ~3 commands", "0 0 0 0"),
  ...phrases("harms", 1, "delete ~2 tests/branch/database/repository"),
  pattern("harms", 1, /\b(?:curl|wget)\b[^\n|]{0,200}\|\s{0,3}(?:sudo\s{1,3})?(?:ba|z)?sh\b/gi, "curl/wget"),
  // A hook of an installation, or what is encoded, that is fetched and run.
  pattern(
    "harms",
    4,
    /"(?:pre|post)?install"\s{0,3}:\s{0,3}"[^"\n]{0,200}(?:curl|wget|https?:)[^"\n]{0,200}\|\s{0,3}(?:sudo\s{1,3})?(?:ba|z)?sh\b|\bbase64\s{1,3}(?:-d|-D|--decode)\s{0,3}\|\s{0,3}(?:sudo\s{1,3})?(?:ba|z)?sh\b/g,
    "bash/sh/zsh",
    { marks: ['nstall"', "base64"], itself: true },
  ),
];
