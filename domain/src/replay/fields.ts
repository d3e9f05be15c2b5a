import { registerBody } from '../api/component.ts';
import type { Position } from '../ports/event-store.ts';
import { requiredText } from '../text-fields.ts';

const SKIP_REASON_MAX = 500;

/** Request body with the reason for excluding an event from a projection permanently. */
export const skipEventFields = registerBody('SkipEvent', { reason: requiredText('Reason', SKIP_REASON_MAX) });

/** The pattern for the name of a projection, i.e. of the code that fills a read model. */
export const PROJECTION_NAME = /^[a-z][a-z0-9_]{0,39}$/u;
/** The pattern of an event position in a URL path. A hyphen replaces the slash in positions of EventStoreDB. */
export const POSITION_IN_PATH = /^\d{19,20}(?:-\d{19,20})?$/u;

/** Parses an event position in a URL path. Returns null if the text is not a position. */
export function parseParkedPosition(part: string): Position | null {
  return POSITION_IN_PATH.test(part) ? (part.replace('-', '/') as Position) : null;
}

/**
 * The states of a rebuild of a read model. `ready` means that the rebuilt tables wait until an admin makes them the
 * live tables. `reverted` means that the rebuilt tables were the live tables until an admin restored the previous
 * tables.
 */
export const REBUILD_STATES = [
  'running',
  'paused',
  'checking',
  'ready',
  'swapping',
  'swapped',
  'reverted',
  'cancelled',
  'failed',
] as const;
export type RebuildState = (typeof REBUILD_STATES)[number];
