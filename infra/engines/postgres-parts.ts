/** How the product runs a Postgres of its own, for `postgres.mjs`, which plain Node runs. */
export { createCluster, DATABASE, exists, ROLE, serverEnvironment } from '../embedded/postgres/cluster.ts';
export { prepareHome } from '../embedded/postgres/home.ts';
export { readyPort, stopStale } from '../embedded/postgres/server.ts';
export { serverArguments } from '../embedded/postgres/settings.ts';
