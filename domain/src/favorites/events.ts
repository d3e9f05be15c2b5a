import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

const ids = { accountId: z.string(), adId: z.string() };

export const AdFavorited = defineEvent('AdFavorited', { version: 1, schema: z.object(ids) });

export const AdUnfavorited = defineEvent('AdUnfavorited', { version: 1, schema: z.object(ids) });

export const favoritesEvents = [AdFavorited, AdUnfavorited] as const;
export type FavoritesEvent = EventOf<(typeof favoritesEvents)[number]>;
