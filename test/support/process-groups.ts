/** Whether a process group has any process. */
export function isGroupAlive(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}
