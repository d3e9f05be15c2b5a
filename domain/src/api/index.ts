/** The API as a document: for query-api, which serves it, and for tests. Neither browsers nor other servers load it. */
export * from './components.ts';
export * from './operation.ts';
export * from './operations.ts';
export * from './document/document.ts';
export type * from './document/openapi.ts';
