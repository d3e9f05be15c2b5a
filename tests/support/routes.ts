/** The part of a router's layers that tells its routes. Express keeps it, without promising it; only this test help looks. */
interface Layer {
  readonly rawPath?: string;
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle: { readonly stack?: readonly Layer[] };
}

/** Every `METHOD /path` that is served below `/api`, as the running product has mounted them. */
export function apiRoutesOf(handler: unknown): string[] {
  const { router } = handler as { readonly router: { readonly stack: readonly Layer[] } };
  const routes = walk(router.stack, '').filter((route) => route.includes(' /api/'));
  if (routes.length === 0) throw new Error('No route found: Express keeps its layers in another way now');
  return [...new Set(routes.map((route) => route.replace(' /api', ' ').replace(/(?<=.)\/$/u, '')))];
}

/** Every `METHOD /path` of a router, as it would be below where it is mounted. */
export function routesOf(router: unknown): string[] {
  return walk((router as { readonly stack: readonly Layer[] }).stack, '').map((route) =>
    route.replace(/(?<=.)\/$/u, ''),
  );
}

function walk(stack: readonly Layer[], prefix: string): string[] {
  return stack.flatMap(({ rawPath = '', route, handle }) => {
    if (route) {
      return Object.keys(route.methods)
        .filter((method) => method !== 'head')
        .map((method) => `${method.toUpperCase()} ${prefix}${route.path}`);
    }
    return handle.stack ? walk(handle.stack, `${prefix}${rawPath === '/' ? '' : rawPath}`) : [];
  });
}
