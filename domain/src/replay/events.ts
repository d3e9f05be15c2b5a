import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

/** What admins have done to a projection. What has become of it is working state of the projectors, not history. */
const ofProjection = { projection: z.string() };
const ofRebuild = { ...ofProjection, rebuildId: z.string() };
const ofParkedEvent = { ...ofProjection, eventId: z.string(), position: z.string() };

/** The projection is to be built anew, beside the tables that are read. */
export const RebuildRequested = defineEvent('RebuildRequested', { version: 1, schema: z.object(ofRebuild) });
export const RebuildPaused = defineEvent('RebuildPaused', { version: 1, schema: z.object(ofRebuild) });
export const RebuildResumed = defineEvent('RebuildResumed', { version: 1, schema: z.object(ofRebuild) });
/** The rebuilt tables are to be thrown away. */
export const RebuildCancelled = defineEvent('RebuildCancelled', { version: 1, schema: z.object(ofRebuild) });
/** The rebuilt tables are to take the place of those that are read. */
export const RebuildSwapRequested = defineEvent('RebuildSwapRequested', { version: 1, schema: z.object(ofRebuild) });
/** The tables of before the last swap are to be read again. */
export const RebuildReverted = defineEvent('RebuildReverted', { version: 1, schema: z.object(ofProjection) });

/** An event that was set aside, and those of its stream that wait behind it, are to be tried again. */
export const ParkedEventRetried = defineEvent('ParkedEventRetried', { version: 1, schema: z.object(ofParkedEvent) });

/** An event is left out of this projection for good, in every rebuild as well. `reason` is sealed with the key of the account the event is about. */
export const ParkedEventSkipped = defineEvent('ParkedEventSkipped', {
  version: 1,
  schema: z.object({ ...ofParkedEvent, subjectId: z.nullable(z.string()), reason: z.nullable(z.string()) }),
  personal: { reason: null },
  subjectOf: (data: { subjectId: string | null }) => data.subjectId,
});

export const replayEvents = [
  RebuildRequested,
  RebuildPaused,
  RebuildResumed,
  RebuildCancelled,
  RebuildSwapRequested,
  RebuildReverted,
  ParkedEventRetried,
  ParkedEventSkipped,
] as const;
export type ReplayEvent = EventOf<(typeof replayEvents)[number]>;
