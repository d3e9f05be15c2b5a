import { nextStepOf, person, sendCommand, toStreamId, type Erasure, type ErasureStep } from '@alpenglow/domain';
import { ERASURES } from '../read-models/index.ts';
import type { Pool } from '../adapters/postgres/pool.ts';
import { storedNameOf } from '../adapters/postgres/read-model-tables.ts';
import type { CommandHandler, CommandOrigin } from './command-handler.ts';
import type { Logger } from './logger.ts';
import { createSlots, waitUnlessAborted } from './polling-and-slots.ts';

/** An account whose personal data is being erased, with the state of its erasure. */
export interface ErasedPerson extends Erasure {
  readonly accountId: string;
}

/**
 * Performs one step of an erasure, which removes all personal data of an account. Must be idempotent. Returns `later`
 * if the step cannot be performed yet. A step that throws is tried again when erasures are continued the next time.
 */
export type ErasureWork = (person: ErasedPerson, signal: AbortSignal) => Promise<'done' | 'later'>;

/** The steps of an erasure that one service performs. Other services perform the other steps. */
export type ErasureSteps = { readonly [Step in ErasureStep]?: ErasureWork };

export interface ErasureDependencies {
  readonly pool: Pool;
  readonly commands: CommandHandler;
  readonly log: Logger;
}

/** The maximum number of erasures that are read at once. */
const PAGE = 20;
/** The maximum number of erasures that one call of `continueErasures` continues at the same time. */
const AT_ONCE = 32;
/** The interval at which open erasures are read again while a slow one is running. */
const READ_AGAIN_ms = 1_000;
const SLOT_WAIT_ms = 60_000;

/**
 * Continues all erasures that are in progress, oldest first, several at the same time. Performs the next steps of each
 * erasure, as far as `steps` contains them. Each completed step is stored as an event, so that the erasure resumes with
 * the next step after a crash. If an erasure fails, the failure is logged, all others continue, and the next call tries
 * again. A slow erasure does not delay the others: while it is running, the others are continued every second. Rejects
 * when `signal` aborts, after the running steps have ended.
 */
export async function continueErasures(
  { pool, commands, log }: ErasureDependencies,
  steps: ErasureSteps,
  signal: AbortSignal,
): Promise<void> {
  const running = new Map<string, Promise<void>>();
  try {
    do {
      for await (const accountId of inProgress(pool)) {
        signal.throwIfAborted();
        if (running.has(accountId)) continue;
        while (running.size >= AT_ONCE) await Promise.race(running.values());
        const erasing = erase(accountId, commands, steps, signal)
          .catch((err: unknown) => {
            if (!signal.aborted) log.warn({ err, accountId }, 'an erasure step failed');
          })
          .finally(() => running.delete(accountId));
        running.set(accountId, erasing);
      }
      const ended = Promise.all(running.values());
      await Promise.race([ended, waitUnlessAborted(READ_AGAIN_ms, signal)]);
      signal.throwIfAborted();
    } while (running.size > 0);
  } finally {
    // The duty must not start in another process before the running steps have ended.
    await Promise.allSettled(running.values());
  }
}

/** Limits how many steps of erasures use the database at the same time. */
export type ErasureSlots = ReturnType<typeof createErasureSlots>;

/**
 * Returns a function that runs `work` when one of `max` slots is free and returns its result. Returns `later` if no
 * slot becomes free in time. The step is then repeated.
 */
export function createErasureSlots(max: number) {
  const slots = createSlots({ max, maxWaiting: AT_ONCE, wait_ms: SLOT_WAIT_ms });
  return async <Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result | 'later'> => {
    const slot = await slots.take(signal);
    if (!slot) return 'later';
    try {
      return await work();
    } finally {
      slot.release();
    }
  };
}

async function erase(
  accountId: string,
  commands: CommandHandler,
  steps: ErasureSteps,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const { erasure } = (await commands.load(person, accountId)).state;
    const next = erasure && nextStepOf(erasure, accountId);
    const work = next && steps[next.step];
    if (!work) return;
    if ((await work({ ...erasure, accountId }, signal)) === 'later') return;
    await sendCommand(commands, next.finish, erasureOrigin(erasure));
  }
}

/** Returns the origin of the commands of an erasure. The number of its receipt is the correlation id. */
export function erasureOrigin({ receiptId }: Pick<Erasure, 'receiptId'>): CommandOrigin {
  return { actor: { kind: 'system', name: 'erasure' }, correlationId: receiptId };
}

/**
 * Returns the time at which a step of an erasure was completed, in ISO 8601 format. Throws if the step is not
 * completed.
 */
export function completedAt({ completedSteps }: Pick<Erasure, 'completedSteps'>, step: ErasureStep): string {
  const found = completedSteps.find((one) => one.step === step);
  if (!found) throw new Error(`${step} is not done`);
  return found.at;
}

/**
 * Yields the ids of the accounts with an erasure in progress, oldest erasure first. Reads them in pages, so that any
 * number of erasures that fail delays no later one. Yields nothing if the read model does not exist yet. An erasure is
 * also found if the read model has parked its request, because the reason of the admin cannot be decrypted. The erasure
 * does not need the reason. Its time is then the time at which it was parked.
 */
async function* inProgress(pool: Pool): AsyncGenerator<string> {
  const { rows: found } = await pool.query<{ is_there: boolean }>(
    `select to_regclass('${ERASURES.table}') is not null as is_there`,
  );
  if (found[0]?.is_there !== true) return;
  const prefix = toStreamId(person, '');
  // The time is a text here, because a `Date` has no microseconds, and the next page would contain the last row again.
  let last = { since: '-infinity', id: '' };
  for (;;) {
    const { rows } = await pool.query<{ since: string; id: string }>(
      `select min(since)::text as since, id
         from (select requested_at as since, account_id as id from ${ERASURES.table} where completed_at is null
               union all
               select parked_at, substr(stream, length($2) + 1) from rm.parked_events
                where projection = $1 and event_type = 'ErasureRequested' and starts_with(stream, $2)) as open
        group by id
       having (min(since), id) > ($3::timestamptz, $4)
        order by min(since), id limit ${PAGE}`,
      [storedNameOf(pool, 'erasures'), prefix, last.since, last.id],
    );
    for (const { id } of rows) yield id;
    const end = rows.at(-1);
    if (rows.length < PAGE || !end) return;
    last = end;
  }
}
