import type { LiveTopic } from '@alpenglow/domain/contracts';
import type { AdFilter } from '@alpenglow/ui';

/** Returns the topic of the live messages about ads that a list with this filter may contain. */
export function topicOfList({ state, city, category }: AdFilter): LiveTopic {
  return { kind: 'ads', ...(state && { state }), ...(state && city && { city }), ...(category && { category }) };
}

/** Returns the topics of the live messages about single ads. */
export function topicsOfAds(ids: readonly string[]): readonly LiveTopic[] {
  return ids.map((adId) => ({ kind: 'ad', adId }));
}
