/** For `catch`: undefined where there is no such file. @throws every other error */
export function absentAsUndefined(error: unknown): undefined {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}
