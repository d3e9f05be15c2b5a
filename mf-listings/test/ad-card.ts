import type { AdCard } from '@alpenglow/domain/contracts';

/** Returns a card with the given fields and defaults for the others. */
export function createAdCard(id: string, fields: Partial<AdCard> = {}): AdCard {
  return {
    id,
    title: 'An evening walk',
    slug: 'an-evening-walk',
    name: 'Anna',
    age: 28,
    category: 'companion',
    state: 'NV',
    city: 'Reno',
    location: 'Reno, NV',
    price: null,
    image: null,
    photos: [],
    images: [],
    media: [],
    video: null,
    videoMedia: null,
    verified: false,
    isOnline: true,
    isFeatured: false,
    isPremium: false,
    isActive: true,
    isDemo: false,
    status: 'active',
    views: 0,
    bumpCount: 0,
    rating: 0,
    averageRating: 0,
    reviewCount: 0,
    createdAt: '2026-11-21T10:00:00.000Z',
    updatedAt: '2026-11-21T10:00:00.000Z',
    lastBumpedAt: '2026-11-21T10:00:00.000Z',
    ...fields,
  };
}
