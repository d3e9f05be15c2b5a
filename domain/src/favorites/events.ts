import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { ownRecord } from '../event-policies.ts';

const ids = { accountId: z.string(), adId: z.string() };

export const favoritesEvents = [
  defineEvent('AdFavorited', { version: 1, ...ownRecord, schema: z.object(ids) }),
  defineEvent('AdUnfavorited', { version: 1, ...ownRecord, schema: z.object(ids) }),
] as const;
export type FavoritesEvent = EventFromDefinition<(typeof favoritesEvents)[number]>;
