import { finishErasureStep, nextErasureStep, person, type Erasure, type ErasureStep } from '@alpenglow/domain';
import type { Pool } from './adapters/postgres/pool.ts';
import type { CommandHandler, CommandOrigin } from './command-handling.ts';
import type { Logger } from './logger.ts';

/** Somebody who is being erased. */
export interface ErasedPerson extends Erasure {
  readonly accountId: string;
}

/** What a step does. Twice must do no more than once. Answers 'later' where its time has not come; what it throws is tried again. */
export type ErasureWork = (person: ErasedPerson, signal: AbortSignal) => Promise<'done' | 'later'>;

/** The steps one kind of process does. */
export type ErasureSteps = { readonly [Step in ErasureStep]?: ErasureWork };

export interface ErasureDependencies {
  readonly pool: Pool;
  readonly commands: CommandHandler;
  readonly log: Logger;
}

/** More than are asked for in a second; what is left comes with the next round. */
const MAX_AT_ONCE = 20;

/**
 * Goes on with every erasure that is under way, as far as these steps lead: each is an event once it is done, so that whoever comes after a crash begins with the
 * one that was not. One that fails is logged and left for the next round, without holding up the others. Rejects when `signal` aborts.
 */
export async function goOnWithErasures(
  { pool, commands, log }: ErasureDependencies,
  steps: ErasureSteps,
  signal: AbortSignal,
): Promise<void> {
  for (const accountId of await underWay(pool)) {
    await erase(accountId, commands, steps, signal).catch((err: unknown) => {
      signal.throwIfAborted();
      log.warn({ err, accountId }, 'an erasure could not go on');
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
    const step = erasure && nextErasureStep(erasure);
    const work = step && steps[step];
    if (!erasure || !step || !work) return;
    if ((await work({ ...erasure, accountId }, signal)) === 'later') return;
    await commands.handle(
      person,
      accountId,
      (state) => finishErasureStep(step, accountId, state),
      erasureOrigin(erasure),
    );
  }
}

/** Where the commands of an erasure come from. */
export function erasureOrigin({ receiptId }: Pick<Erasure, 'receiptId'>): CommandOrigin {
  return { actor: { kind: 'system', name: 'erasure' }, correlationId: receiptId };
}

/** When a step was done, ISO 8601. Throws for one that was not. */
export function doneAt({ done }: Pick<Erasure, 'done'>, step: ErasureStep): string {
  const found = done.find((one) => one.step === step);
  if (!found) throw new Error(`${step} is not done`);
  return found.at;
}

/** The read model names them, the one longest asked for first; before its first run there are none. */
async function underWay(pool: Pool): Promise<readonly string[]> {
  const { rows: found } = await pool.query<{ is_there: boolean }>(
    `select to_regclass('rm.erasures') is not null as is_there`,
  );
  if (found[0]?.is_there !== true) return [];
  const { rows } = await pool.query<{ account_id: string }>(
    `select account_id from rm.erasures where completed_at is null order by requested_at, receipt_id limit ${MAX_AT_ONCE}`,
  );
  return rows.map(({ account_id: accountId }) => accountId);
}
