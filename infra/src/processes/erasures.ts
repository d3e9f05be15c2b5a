import { nextStepOf, person, type Erasure, type ErasureStep } from '@alpenglow/domain';
import type { Pool } from '../adapters/postgres/pool.ts';
import type { CommandHandler, CommandOrigin } from '../service/command-handler.ts';
import type { Logger } from '../service/logger.ts';
import { sendCommand } from './send-command.ts';

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

/** The maximum number of erasures that one call of `continueErasures` continues, oldest first. */
const MAX_AT_ONCE = 20;

/**
 * Continues the erasures that are in progress. Performs the next steps of each erasure, as far as `steps` contains
 * them. Each completed step is stored as an event, so that the erasure resumes with the next step after a crash. If an
 * erasure fails, the failure is logged, the other erasures continue, and the next call tries again. Rejects when
 * `signal` aborts.
 */
export async function continueErasures(
  { pool, commands, log }: ErasureDependencies,
  steps: ErasureSteps,
  signal: AbortSignal,
): Promise<void> {
  for (const accountId of await inProgress(pool)) {
    await erase(accountId, commands, steps, signal).catch((err: unknown) => {
      signal.throwIfAborted();
      log.warn({ err, accountId }, 'an erasure step failed');
    });
  }
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
 * Returns the ids of the accounts with an erasure in progress, oldest erasure first. The result is empty if the read
 * model does not exist yet.
 */
async function inProgress(pool: Pool): Promise<readonly string[]> {
  const { rows: found } = await pool.query<{ is_there: boolean }>(
    `select to_regclass('rm.erasures') is not null as is_there`,
  );
  if (found[0]?.is_there !== true) return [];
  const { rows } = await pool.query<{ account_id: string }>(
    `select account_id
       from rm.erasures
      where completed_at is null
      order by requested_at, receipt_id limit ${MAX_AT_ONCE}`,
  );
  return rows.map(({ account_id: accountId }) => accountId);
}
