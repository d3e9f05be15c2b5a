import type { AdCard } from '@alpenglow/domain/contracts';
import { readText, type KeptStorage } from './favorites.ts';

/**
 * Cards of the ads a guest has kept, as they were when they were last seen. A guest's favorites are shown from these: asking for each
 * ad would count as a visit and carry its phone number (infra/decisions/0032-favorites.md). Null: the ad is gone.
 */
export interface KeptCards {
  readonly all: () => Readonly<Record<string, AdCard | null>>;
  /** Storage that is full or refused costs only the card: its ad is then shown by its address. */
  readonly keep: (card: AdCard) => void;
  readonly markGone: (adId: string) => void;
  /** Forgets the cards of all ads but these. */
  readonly retain: (adIds: readonly string[]) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export const KEPT_CARDS_KEY = 'favorites-cards:guest';

const NONE: Readonly<Record<string, AdCard | null>> = {};

export function createKeptCards(storage: KeptStorage, key: string = KEPT_CARDS_KEY): KeptCards {
  const listeners = new Set<() => void>();
  let lastText: string | null = null;
  let last = NONE;

  const all = () => {
    const text = readText(storage, key);
    if (text !== lastText) {
      lastText = text;
      last = parse(text);
    }
    return last;
  };
  const write = (cards: Readonly<Record<string, AdCard | null>>) => {
    const text = JSON.stringify(cards);
    if (text === lastText) return;
    try {
      storage.setItem(key, text);
    } catch {
      return;
    }
    listeners.forEach((listener) => listener());
  };

  return {
    all,
    keep: (card) => write({ ...all(), [card.id]: cardOnly(card) }),
    markGone: (adId) => write({ ...all(), [adId]: null }),
    retain: (adIds) => write(Object.fromEntries(Object.entries(all()).filter(([id]) => adIds.includes(id)))),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** What a card shows, and its cover. An ad in full has a phone number and links: they are never stored. Nor is who is online: that passes. */
export function cardOnly(ad: AdCard): AdCard {
  const {
    id,
    title,
    name,
    category,
    state,
    city,
    location,
    price,
    image,
    verified,
    isFeatured,
    isPremium,
    isActive,
    isDemo,
    status,
  } = ad;
  const {
    video,
    videoMedia,
    views,
    bumpCount,
    rating,
    averageRating,
    reviewCount,
    createdAt,
    updatedAt,
    lastBumpedAt,
  } = ad;
  return {
    ...{
      id,
      title,
      name,
      category,
      state,
      city,
      location,
      price,
      image,
      verified,
      isFeatured,
      isPremium,
      isActive,
      isDemo,
      status,
    },
    ...{ video, videoMedia, views, bumpCount, rating, averageRating, reviewCount, createdAt, updatedAt, lastBumpedAt },
    isOnline: false,
    media: ad.media.slice(0, 1),
    photos: [],
    images: [],
  };
}

function parse(text: string | null): Readonly<Record<string, AdCard | null>> {
  if (text === null) return NONE;
  try {
    const cards: unknown = JSON.parse(text);
    if (typeof cards !== 'object' || cards === null || Array.isArray(cards)) return NONE;
    // Written by this package alone; what is not even roughly a card is left out.
    return Object.fromEntries(
      Object.entries(cards as Record<string, AdCard | null>).filter(
        ([, card]) =>
          card === null ||
          (typeof card === 'object' &&
            Array.isArray(card.media) &&
            typeof card.title === 'string' &&
            typeof card.city === 'string'),
      ),
    );
  } catch {
    return NONE;
  }
}
