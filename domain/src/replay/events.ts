import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { logged } from '../event-policies.ts';

/**
 * These events record which actions admins have requested for a read model, e.g. a rebuild of its tables. The processes
 * that perform the actions store their progress elsewhere.
 */
const projectionId = { projection: z.string() };
const rebuildIds = { ...projectionId, rebuildId: z.string() };
const parkedEventIds = { ...projectionId, eventId: z.string(), position: z.string() };

export const replayEvents = [
  /** An admin requests that a read model is rebuilt from the event log in new tables. */
  defineEvent('RebuildRequested', { version: 1, ...logged, schema: z.object(rebuildIds) }),
  defineEvent('RebuildPaused', { version: 1, ...logged, schema: z.object(rebuildIds) }),
  defineEvent('RebuildResumed', { version: 1, ...logged, schema: z.object(rebuildIds) }),
  /** An admin requests that the rebuilt tables of a read model are discarded. */
  defineEvent('RebuildCancelled', { version: 1, ...logged, schema: z.object(rebuildIds) }),
  /** An admin requests that the rebuilt tables of a read model replace the live tables. */
  defineEvent('RebuildSwapRequested', { version: 1, ...logged, schema: z.object(rebuildIds) }),
  /**
   * An admin requests that the previous tables of a read model, which the last swap replaced, become the live tables
   * again.
   */
  defineEvent('RebuildReverted', { version: 1, ...logged, schema: z.object(projectionId) }),
  /**
   * An admin requests a retry of a parked event, which the projection could not handle. The later events of its stream
   * wait for the parked event and are retried too.
   */
  defineEvent('ParkedEventRetried', { version: 1, ...logged, schema: z.object(parkedEventIds) }),
  /**
   * An admin has excluded an event from a projection, the code that fills a read model, and from all its rebuilds. The
   * excluded event is about the account `subjectId`. `reason` is encrypted with the key of this account.
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
