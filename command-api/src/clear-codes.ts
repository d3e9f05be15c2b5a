import { account, clearVerification, type Position } from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin, OpenCodes } from '@alpenglow/infra';
import { lastPositionOf } from './last-position.ts';

export interface ClearCodesDependencies {
  readonly commands: CommandHandler;
  readonly openCodes: OpenCodes;
}

export interface ClearedCodes {
  readonly cleared: number;
  /** More open codes may remain: call again. */
  readonly mayBeMore: boolean;
  readonly position: Position | null;
}

const CODES_PER_CALL = 1_000;
const CODES_AT_ONCE = 20;

/**
 * Revokes open verification codes, the oldest first, at most 1,000 in one call. `reason` goes into each event. An error ends the work. It is
 * thrown only when no code was cleared, so that a refused call has changed nothing (decision 0049).
 */
export async function clearCodes(
  { commands, openCodes }: ClearCodesDependencies,
  reason: string | null,
  origin: CommandOrigin,
): Promise<ClearedCodes> {
  const holders = await openCodes.holders(CODES_PER_CALL);
  const clear = (accountId: string) =>
    commands.handle(account, accountId, (state) => clearVerification(reason, state), origin);
  const handled: Awaited<ReturnType<typeof clear>>[] = [];
  for (let done = 0; done < holders.length; done += CODES_AT_ONCE) {
    const outcomes = await Promise.allSettled(holders.slice(done, done + CODES_AT_ONCE).map(clear));
    handled.push(...outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (!failed) continue;
    if (clearedOf(handled) === 0) throw failed.reason;
    return { cleared: clearedOf(handled), mayBeMore: true, position: lastPositionOf(handled) };
  }
  return {
    cleared: clearedOf(handled),
    mayBeMore: holders.length === CODES_PER_CALL,
    position: lastPositionOf(handled),
  };
}

function clearedOf(handled: readonly { readonly events: readonly unknown[] }[]): number {
  return handled.filter(({ events }) => events.length > 0).length;
}
