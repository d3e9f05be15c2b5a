/** Maximum number of accounts whose files are remembered. Above it, the account with the oldest upload is forgotten. */
const MAX_ACCOUNTS = 10_000;

/**
 * Counts the files of each account whose check is not finished. The check takes place in a background job, which may
 * end long after the response to the upload. `isFinished` reads whether the check of a file is finished.
 */
export function createUnfinishedFiles(isFinished: (mediaId: string) => Promise<boolean>) {
  const unfinished = new Map<string, Set<string>>();
  return {
    add(accountId: string, mediaId: string): void {
      const files = unfinished.get(accountId) ?? new Set();
      unfinished.delete(accountId);
      unfinished.set(accountId, files.add(mediaId));
      const [oldest] = unfinished.keys();
      if (unfinished.size > MAX_ACCOUNTS && oldest !== undefined) unfinished.delete(oldest);
    },
    async count(accountId: string): Promise<number> {
      const files = unfinished.get(accountId);
      if (!files) return 0;
      await Promise.all([...files].map(async (mediaId) => (await isFinished(mediaId)) && files.delete(mediaId)));
      if (files.size === 0 && unfinished.get(accountId) === files) unfinished.delete(accountId);
      return files.size;
    },
  };
}
