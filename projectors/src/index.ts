export * from './caught-up.ts';
export * from './projection.ts';
export * from './projections/index.ts';
export * from './projectors.ts';
export * from './rebuild.ts';
export * from './run-projection.ts';
export * from './run-reactor.ts';
