/** Sort orders of ad lists. The default `bumped` lists the last bumped ad first. */
export const AD_SORTS = ['bumped', 'newest', 'price', 'price_desc'] as const;
export type AdSort = (typeof AD_SORTS)[number];

/** Sort orders of thread lists. The default `latest` lists the thread with the newest post first. */
export const THREAD_SORTS = ['latest', 'active', 'newest'] as const;
export type ThreadSort = (typeof THREAD_SORTS)[number];
