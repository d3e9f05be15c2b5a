import type { DailyRootView, InclusionProofView, LogEntryView } from '@alpenglow/domain';
import type { InclusionProof } from '../adapters/postgres/audit-entries.ts';
import type { ChainedEntry, DailyRoot } from './moderation-log.ts';

/** Converts an entry of the moderation log to the format of the API. */
export function toLogEntryView({ entry: { actor, ...entry }, hash }: ChainedEntry): LogEntryView {
  return {
    ...entry,
    actor: actor.kind === 'account' ? { kind: 'account', id: actor.accountId } : { kind: 'system', id: actor.name },
    hash: hash.toString('hex'),
  };
}

export function toDailyRootView({ day, first, last, root, hash }: DailyRoot): DailyRootView {
  return { day, first, last, root: root.toString('hex'), hash: hash.toString('hex') };
}

export function toInclusionProofView({ previousHash, steps, root, ...chained }: InclusionProof): InclusionProofView {
  return {
    entry: toLogEntryView(chained),
    previousHash: previousHash.toString('hex'),
    steps: steps.map(({ side, hash }) => ({ side, hash: hash.toString('hex') })),
    root: toDailyRootView(root),
  };
}
