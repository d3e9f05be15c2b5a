/**
 * The types of messages that the live channel (a WebSocket) sends to browsers. The schemas of the messages are in
 * `api/schemas/live.ts`.
 */
export const AD_LIVE_TYPES = ['ad_created', 'ad_updated', 'ad_bumped', 'ad_deleted'] as const;
export const THREAD_LIVE_TYPES = ['thread_started', 'reply_posted', 'thread_changed'] as const;
