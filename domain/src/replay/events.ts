import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { logged } from '../event-policies.ts';

/**
 * The events record actions of admins on a projection. The projectors store the progress of these actions elsewhere.
 */
const projectionId = { projection: z.string() };
const rebuildIds = { ...projectionId, rebuildId: z.string() };
const parkedEventIds = { ...projectionId, eventId: z.string(), position: z.string() };

export const replayEvents = [
  /** An admin requests that the projection is rebuilt in new tables. */
  defineEvent('RebuildRequested', { version: 1, ...logged, schema: z.object(rebuildIds) }),
  defineEvent('RebuildPaused', { version: 1, ...logged, schema: z.object(rebuildIds) }),
  defineEvent('RebuildResumed', { version: 1, ...logged, schema: z.object(rebuildIds) }),
  /** An admin requests that the rebuilt tables are discarded. */
  defineEvent('RebuildCancelled', { version: 1, ...logged, schema: z.object(rebuildIds) }),
  /** An admin requests that the rebuilt tables replace the live tables. */
  defineEvent('RebuildSwapRequested', { version: 1, ...logged, schema: z.object(rebuildIds) }),
  /** An admin requests that the tables from before the last swap are restored. */
  defineEvent('RebuildReverted', { version: 1, ...logged, schema: z.object(projectionId) }),
  /**
   * An admin requests that a parked event is retried. The later events of its stream, which wait for it, are retried
   * too.
   */
  defineEvent('ParkedEventRetried', { version: 1, ...logged, schema: z.object(parkedEventIds) }),
  /**
   * An event is excluded from this projection and from all its rebuilds. `reason` is sealed with the key of the account
   * `subjectId`, which the excluded event is about.
   */
  defineEvent('ParkedEventSkipped', {
    version: 1,
    schema: z.object({ ...parkedEventIds, subjectId: z.nullable(z.string()), reason: z.nullable(z.string()) }),
    personalFields: { reason: null },
    secretFields: [],
    moderationLog: 'always',
    disclosedTo: 'subject',
    getSubjectId: (data: { subjectId: string | null }) => data.subjectId,
  }),
] as const;
export type ReplayEvent = EventFromDefinition<(typeof replayEvents)[number]>;
