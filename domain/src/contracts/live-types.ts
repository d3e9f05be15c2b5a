/**
 * The types of messages that the live channel (a WebSocket) sends to browsers. The schemas of the messages are in
 * `api/schemas/live.ts`.
 */
export const AD_LIVE_TYPES = ['ad_created', 'ad_updated', 'ad_bumped', 'ad_deleted'] as const;
export const THREAD_LIVE_TYPES = ['thread_started', 'reply_posted', 'thread_changed'] as const;

/** The maximum number of topics of one connection of the live channel. */
export const LIVE_TOPICS_MAX = 100;
/** The reasons why the server rejects a message of a client. `sign_in`: the topic `own` needs a session. */
export const LIVE_REJECTIONS = ['invalid', 'sign_in'] as const;
