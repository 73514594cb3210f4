/** The result of a check. Only problems make the program exit with an error. */
export interface Finding {
  readonly check: string;
  readonly state: "ok" | "warning" | "wrong";
  readonly message: string;
}

/** No problem. */
export const ok = (check: string, message: string): Finding => ({ check, state: "ok", message });
/** A warning. */
export const warning = (check: string, message: string): Finding => ({ check, state: "warning", message });
/** A problem; the message says what to do. */
export const wrong = (check: string, message: string): Finding => ({ check, state: "wrong", message });
