/** The domain, for servers. Browsers import `@alpenglow/domain/contracts`. */
export * from './contracts/index.ts';
export * from './aggregate.ts';
export * from './event-definition.ts';
export * from './events.ts';
export * from './account/commands.ts';
export * from './account/decide.ts';
export * from './account/events.ts';
export * from './account/state.ts';
export * from './account/views.ts';
export * from './listing/commands.ts';
export * from './listing/decide.ts';
export * from './listing/events.ts';
export * from './listing/state.ts';
export * from './ports/blob-store.ts';
export * from './ports/event-store.ts';
export * from './ports/job-queue.ts';
export * from './ports/mail.ts';
