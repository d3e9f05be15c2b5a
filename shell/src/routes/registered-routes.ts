import { registerRoutes, ROUTES_META, type RegisteredRoute } from './owners.ts';

/** Registers the pages that the registry assigns to remotes. The server writes them into the first HTML. */
export function registerRoutesOfPage(): void {
  const text = document.querySelector<HTMLMetaElement>(`meta[name="${ROUTES_META}"]`)?.content;
  // The cast is safe, because the server of the shell has validated the routes.
  if (text) registerRoutes(JSON.parse(text) as readonly RegisteredRoute[]);
}
