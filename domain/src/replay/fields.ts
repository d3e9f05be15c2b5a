import * as z from 'zod/mini';
import type { Position } from '../ports/event-store.ts';
import { requiredText } from '../text-fields.ts';

export const SKIP_REASON_MAX = 500;

/** Why an event is left out of a projection for good. */
export const skipFields = z.object({ reason: requiredText('Reason', SKIP_REASON_MAX) });

/** What may be the name of a projection. */
export const PROJECTION_NAME = /^[a-z][a-z0-9_]{0,39}$/u;
/** A position as it stands in a path: with a hyphen where one of some stores has a slash. */
export const POSITION_IN_PATH = /^\d{19,20}(?:-\d{19,20})?$/u;

/** The position a part of a path stands for; null for what is none. */
export function parkedPositionOf(part: string): Position | null {
  return POSITION_IN_PATH.test(part) ? (part.replace('-', '/') as Position) : null;
}

/** What a rebuild has come to. `ready` waits for the word of an admin to be swapped in; `reverted` was swapped in and gone back from. */
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
