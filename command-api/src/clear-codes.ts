import { account, type Position, findLastPosition } from '@alpenglow/domain';
import { clearVerification } from '@alpenglow/domain/deciders';
import { type CommandOrigin } from '@alpenglow/infra';
import type { Dependencies } from './dependencies.ts';

export interface ClearCodesResult {
  readonly cleared: number;
  /** True if more open verification codes may remain. The caller should then call `clearCodes` again. */
  readonly mayBeMore: boolean;
  readonly position: Position | null;
}

const CODES_PER_CALL = 1_000;
const CONCURRENT_CODES = 20;

/**
 * Revokes up to 1,000 open verification codes, the oldest first, and stores `reason` in each event. Stops at the first
 * error. If some codes were already revoked, the function returns their number. Otherwise, it throws the error, so a
 * failed request has changed nothing (decision 0049).
 */
export async function clearCodes(
  { commands, openCodes }: Dependencies<'commands' | 'openCodes'>,
  reason: string | null,
  origin: CommandOrigin,
): Promise<ClearCodesResult> {
  const holders = await openCodes.findAccountIds(CODES_PER_CALL);
  const clear = (accountId: string) => commands.execute(account, accountId, clearVerification, { reason }, origin);
  const handled: Awaited<ReturnType<typeof clear>>[] = [];
  for (let done = 0; done < holders.length; done += CONCURRENT_CODES) {
    const outcomes = await Promise.allSettled(holders.slice(done, done + CONCURRENT_CODES).map(clear));
    handled.push(...outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (!failed) continue;
    if (countCleared(handled) === 0) throw failed.reason;
    return { cleared: countCleared(handled), mayBeMore: true, position: findLastPosition(handled) };
  }
  return {
    cleared: countCleared(handled),
    mayBeMore: holders.length === CODES_PER_CALL,
    position: findLastPosition(handled),
  };
}

function countCleared(handled: readonly { readonly events: readonly unknown[] }[]): number {
  return handled.filter(({ events }) => events.length > 0).length;
}
