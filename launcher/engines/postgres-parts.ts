/** Exports the functions that run the embedded Postgres, so that `postgres.mjs` can bundle and import them. */
export { fileExists } from '../postgres/binaries.ts';
export { createCluster, DATABASE, ROLE, serverEnvironment } from '../postgres/cluster.ts';
export { prepareHome } from '../postgres/home.ts';
export { findReadyPort, stopLeftoverServer } from '../postgres/server.ts';
export { serverArguments } from '../postgres/settings.ts';
