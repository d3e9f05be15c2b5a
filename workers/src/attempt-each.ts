import { isMissingTable, type Logger } from '@alpenglow/infra';
import { isBackingServiceFailure } from './retry-during-outages.ts';

/** The maximum number of errors that `ItemsFailed` contains. Every error is logged, but memory is limited. */
const MAX_ERRORS = 20;

/**
 * Some items of a task failed. The task processed all other items, or ended at an outage of a backing service. `errors`
 * contains the first errors.
 */
export class ItemsFailed extends AggregateError {
  override readonly name = 'ItemsFailed';
  /** The number of failures, which may be higher than the number of errors. */
  readonly failures: number;
  constructor(task: string, failures: number, errors: readonly unknown[]) {
    const [first] = errors;
    super(errors, `${failures} items failed (${task}): ${first instanceof Error ? first.message : String(first)}`);
    this.failures = failures;
  }
}

export interface AttemptOptions<Item> {
  /** The name of the task in log entries. */
  readonly task: string;
  /** Returns the text that identifies an item in log entries, e.g. its id. It must contain no personal data. */
  readonly nameOf: (item: Item) => string;
  readonly log: Pick<Logger, 'warn'>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls `work` for the items, one after the other, and logs failures. A failed item does not end the run, except if a
 * backing service is unavailable. The next run then processes the remaining items: in this run, each of them would
 * probably fail, too, after its time limit, while no other process can run the task.
 *
 * If an item failed, or if the list of items could not be read to its end, rejects with `ItemsFailed` after the last
 * processed item, so that the run counts as failed. If `signal` aborts, rejects as soon as the current item ends.
 */
export function attemptEach<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
  options: AttemptOptions<Item>,
): Promise<void> {
  return attempt(items, work, options, { endsAtOutage: true });
}

/**
 * Runs the parts of a task like `attemptEach`. The parts have names, which identify them in log entries. All parts run,
 * also during an outage, because the other parts may use other services. There are only a few parts.
 */
export function attemptParts(
  parts: Readonly<Record<string, () => Promise<unknown>>>,
  { task, log, signal }: Omit<AttemptOptions<never>, 'nameOf'>,
): Promise<void> {
  const options: AttemptOptions<[string, unknown]> = { task, nameOf: ([name]) => name, log, signal };
  return attempt(Object.entries(parts), ([, part]) => part(), options, { endsAtOutage: false });
}

async function attempt<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
  { task, nameOf, log, signal }: AttemptOptions<Item>,
  { endsAtOutage }: { readonly endsAtOutage: boolean },
): Promise<void> {
  const errors: unknown[] = [];
  let failures = 0;
  const record = (err: unknown, item: string | null) => {
    // A nested call has already logged the failures of its items.
    const isNested = err instanceof ItemsFailed;
    failures += isNested ? err.failures : 1;
    errors.push(...(isNested ? (err.errors as unknown[]) : [err]).slice(0, MAX_ERRORS - errors.length));
    // A missing read model is no failure. The caller of the task handles it.
    if (isNested || isMissingTable(err)) return;
    if (item === null) log.warn({ err, round: task }, 'the items of a periodic task could not be listed');
    else log.warn({ err, round: task, item }, 'an item of a periodic task failed');
  };
  try {
    for await (const item of items) {
      signal?.throwIfAborted();
      try {
        await work(item);
      } catch (error) {
        signal?.throwIfAborted();
        record(error, nameOf(item));
        if (endsAtOutage && isBackingServiceFailure(error)) break;
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    record(error, null);
  }
  signal?.throwIfAborted();
  if (failures > 0) throw new ItemsFailed(task, failures, errors);
}
