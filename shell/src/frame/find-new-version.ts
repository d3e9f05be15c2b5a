/** The time between the two checks. Most updates replace all servers in less time. */
export const CONFIRMED_AFTER_ms = 5 * 60_000;

export interface VersionSource {
  /** The hash of the shell of this tab. It is empty in development. */
  readonly own: string;
  /** Reads the hash of the shell of the server. It is undefined if the server does not state it. */
  readonly read: () => Promise<string | undefined>;
  readonly wait: (time_ms: number) => Promise<void>;
}

/**
 * Returns true if the site has another version of the shell than this tab. Servers with two versions respond while an
 * update replaces them, and the update may be undone. So two checks must find the same other version. A check that
 * fails finds none.
 */
export async function findNewVersion({ own, read, wait }: VersionSource): Promise<boolean> {
  if (own === '') return false;
  const find = () => read().catch(() => undefined);
  const found = await find();
  if (found === undefined || found === own) return false;
  await wait(CONFIRMED_AFTER_ms);
  return (await find()) === found;
}
