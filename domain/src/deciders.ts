/**
 * All deciders, i.e. the functions that decide which events follow from a command. Adapters and the service runtime
 * must not import this file.
 */
export * from './account/decide.ts';
export * from './account/two-step.ts';
export * from './article/decide.ts';
export * from './author/decide.ts';
export * from './consent/decide.ts';
export * from './favorites/decide.ts';
export * from './follows/decide.ts';
export * from './helpful/decide.ts';
export * from './identity/decide.ts';
export * from './listing/decide.ts';
export * from './media/decide.ts';
export * from './hiding-rule/decide.ts';
export * from './moderation/decide.ts';
export * from './moderation/removal-request-holds.ts';
export * from './person/decide.ts';
export * from './replay/decide.ts';
export * from './removal/decide.ts';
export * from './report/decide.ts';
export * from './taken-down/decide.ts';
export * from './thread/decide.ts';
export * from './thread/delete-posts-of-account.ts';
