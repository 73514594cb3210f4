/** What was found out about one thing. Only what is wrong ends the program with an error. */
export interface Finding {
  readonly check: string;
  readonly state: "ok" | "warning" | "wrong";
  readonly message: string;
}

/** All is well. */
export const ok = (check: string, message: string): Finding => ({ check, state: "ok", message });
/** Somebody should know. */
export const warning = (check: string, message: string): Finding => ({ check, state: "warning", message });
/** Something does not work, and the message says what to do. */
export const wrong = (check: string, message: string): Finding => ({ check, state: "wrong", message });
