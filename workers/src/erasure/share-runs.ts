/**
 * Returns a function that handles keys in runs, one run after another. A run handles all keys that have arrived while
 * the previous run was running. `work` returns its results in the order of the keys. If it rejects, the calls of all
 * its keys reject.
 */
export function shareRuns<Key, Result>(
  work: (keys: readonly Key[]) => Promise<readonly Result[]>,
): (key: Key) => Promise<Result> {
  let waiting: { readonly key: Key; readonly settle: (run: Promise<Result>) => void }[] = [];
  let previous: Promise<unknown> = Promise.resolve();
  return (key) =>
    new Promise<Result>((resolve) => {
      waiting.push({ key, settle: resolve });
      if (waiting.length > 1) return;
      previous = previous.then(async () => {
        const calls = waiting;
        waiting = [];
        const run = work(calls.map((call) => call.key));
        for (const [index, { settle }] of calls.entries()) settle(run.then((results) => results[index] as Result));
        await run.catch(() => undefined);
      });
    });
}
