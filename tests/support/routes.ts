/**
 * The part of an Express router layer that describes its routes. It is an internal structure of Express, so only this
 * file reads it.
 */
interface Layer {
  readonly rawPath?: string;
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle: {
    readonly stack?: readonly Layer[];
    readonly operations?: readonly { readonly method: string; readonly path: string }[];
  };
}

/** Returns the method and path of every route below `/api` of the running product. */
export function apiRoutesOf(handler: unknown): string[] {
  const { router } = handler as { readonly router: { readonly stack: readonly Layer[] } };
  const routes = collectRoutes(router.stack, '').filter((route) => route.includes(' /api/'));
  if (routes.length === 0) throw new Error('No routes found. The layers of Express may have another structure');
  return [...new Set(routes.map((route) => route.replace(' /api', ' ').replace(/(?<=.)\/$/u, '')))];
}

/** Returns the method and path of every route of a router. The paths are relative to the router. */
export function routesOf(router: unknown): string[] {
  return collectRoutes([{ handle: router as Layer['handle'] }], '').map((route) => route.replace(/(?<=.)\/$/u, ''));
}

function collectRoutes(stack: readonly Layer[], prefix: string): string[] {
  return stack.flatMap(({ rawPath = '', route, handle }) => {
    if (route) {
      return Object.keys(route.methods)
        .filter((method) => method !== 'head')
        .map((method) => `${method.toUpperCase()} ${prefix}${route.path}`);
    }
    const base = `${prefix}${rawPath === '/' ? '' : rawPath}`;
    if (handle.operations) {
      return handle.operations.map(({ method, path }) => `${method} ${base}${path.replaceAll(/\{(\w+)\}/gu, ':$1')}`);
    }
    return handle.stack ? collectRoutes(handle.stack, base) : [];
  });
}
