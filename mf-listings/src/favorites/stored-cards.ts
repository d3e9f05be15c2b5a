import type { AdCard } from '@alpenglow/domain/contracts';
import { LOCAL_KEYS, parseObject } from '@alpenglow/ui';
import { readStoredText, type FavoritesStorage } from './favorites.ts';

/**
 * The ad cards of favorites by ad id. The browser stores those of a guest, because the API returns single ads only one
 * by one (docs/decisions/0032-favorites.md). It stores those of a client for the offline page. Null means that the ad
 * no longer exists.
 */
type Cards = Readonly<Record<string, AdCard | null>>;

const NONE: Cards = {};

/** Creates a browser store of ad cards. If a card cannot be stored, the favorite is shown as a link without a card. */
export function createStoredCards(storage: FavoritesStorage, key: string = LOCAL_KEYS.guestCards) {
  const listeners = new Set<() => void>();
  let lastText: string | null = null;
  let lastCards = NONE;

  const all = () => {
    const text = readStoredText(storage, key);
    if (text !== lastText) {
      lastText = text;
      lastCards = parse(text);
    }
    return lastCards;
  };
  const write = (cards: Cards) => {
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
    store: (card: AdCard) => write({ ...all(), [card.id]: toStoredCard(card) }),
    /** Replaces all stored cards. */
    replace: (cards: readonly AdCard[]) =>
      write(Object.fromEntries(cards.map((card) => [card.id, toStoredCard(card)]))),
    markDeleted: (adId: string) => write({ ...all(), [adId]: null }),
    /** Deletes the stored cards of all ads that are not in `adIds`. */
    retain: (adIds: readonly string[]) =>
      write(Object.fromEntries(Object.entries(all()).filter(([id]) => adIds.includes(id)))),
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const STORED_FIELDS = [
  'id',
  'title',
  'slug',
  'name',
  'age',
  'category',
  'state',
  'city',
  'location',
  'price',
  'image',
  'verified',
  'isFeatured',
  'isPremium',
  'isActive',
  'isDemo',
  'status',
  'video',
  'videoMedia',
  'views',
  'bumpCount',
  'rating',
  'averageRating',
  'reviewCount',
  'createdAt',
  'updatedAt',
  'lastBumpedAt',
] as const;

/**
 * Returns the part of an ad card that the browser may store. It contains only the first photo. The phone number and the
 * social media links must not be stored. The online state is omitted, because a stored online state would be outdated.
 */
export function toStoredCard(ad: AdCard): AdCard {
  const stored = Object.fromEntries(STORED_FIELDS.map((field) => [field, ad[field]]));
  return {
    ...(stored as Pick<AdCard, (typeof STORED_FIELDS)[number]>),
    isOnline: false,
    media: ad.media.slice(0, 1),
    photos: [],
    images: [],
  };
}

function parse(text: string | null): Cards {
  const cards = parseObject(text ?? '');
  if (cards === null) return NONE;
  // The cast is safe, because only this package writes the stored entry. Cards in the format of other versions are
  // omitted.
  return Object.fromEntries(
    Object.entries(cards as Cards).filter(
      ([, card]) =>
        card === null ||
        (typeof card === 'object' &&
          Array.isArray(card.media) &&
          typeof card.title === 'string' &&
          typeof card.city === 'string'),
    ),
  );
}
