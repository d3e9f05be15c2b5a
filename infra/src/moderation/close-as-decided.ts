import { letGoOfAd, listing, moderationCase, type Position } from '@alpenglow/domain';
import type { CommandOrigin } from '../command-handling.ts';
import { endAccount, type EndAccountDependencies } from '../end-account.ts';
import { hasRegisteredSince } from './registered-since.ts';

/**
 * Ends the account whose closing a case has decided: what a call does at once, and a job once more for a call that broke off in between. Twice is once. Whoever
 * signed up with the address after the decision keeps their account. Where the account stands then; null where none is to be closed.
 */
export async function closeAsDecided(
  deps: EndAccountDependencies,
  caseId: string,
  origin: CommandOrigin,
): Promise<Position | null> {
  const { state } = await deps.commands.load(moderationCase, caseId);
  // An appeal that was granted holds nothing any more.
  if (state?.decision?.outcome !== 'account_closed' || !state.isHolding || state.ownerId === null) return null;
  const { decision, ownerId } = state;
  if (await hasRegisteredSince(deps.commands, ownerId, decision.at)) return null;
  const ended = await endAccount(deps, ownerId, origin, { reason: decision.facts, registeredBy: decision.at });
  // Whoever signs up with the address after that begins anew.
  const free = await deps.commands.handle(
    listing,
    ownerId,
    (slot) => (slot.ad ? [] : letGoOfAd(caseId, ownerId, slot)),
    origin,
  );
  return free.events.length > 0 ? free.position : ended.position;
}
