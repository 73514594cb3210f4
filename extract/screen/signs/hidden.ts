import { pattern } from "../sign.ts";
import type { Sign } from "../sign.ts";

/** Is hidden in what is displayed. */
export const hidden: readonly Sign[] = [
  pattern(
    "hidden",
    1,
    /(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}0|opacity\s{0,3}:\s{0,3}0)\b/gi,
    "display/visibility/font/opacity none/hidden/size/opacity",
  ),
];
