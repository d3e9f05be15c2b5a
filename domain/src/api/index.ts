/**
 * The operations of the API and the API document that is derived from them. Servers and tests import this
 * file.
 */
export * from './component.ts';
export * from './match-request.ts';
export * from './operation.ts';
export * from './operations.ts';
export * from './staff-reads.ts';
export * from './document/document.ts';
export type * from './document/openapi.ts';
