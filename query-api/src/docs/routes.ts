import { Router } from 'express';

/** Loaded when somebody asks for the first time: few processes ever need it. */
async function makeDocs(version: string) {
  const [{ openApiDocument }, { openApiYaml }, { docsPage, POLICY }] = await Promise.all([
    import('@alpenglow/domain/api'),
    import('./openapi-yaml.ts'),
    import('./page.ts'),
  ]);
  return { yaml: openApiYaml(version), page: docsPage(openApiDocument({ version })), policy: POLICY };
}

/** `GET /docs`, the API to be read, and `GET /docs/openapi.yaml`, the same for programs. */
export function docsRoutes(version: string): Router {
  const router = Router();
  let made: ReturnType<typeof makeDocs> | null = null;
  const docs = () => (made ??= makeDocs(version));

  router.get('/', async (_req, res) => {
    const { page, policy } = await docs();
    res.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' }).type('html').send(page);
  });

  router.get('/openapi.yaml', async (_req, res) => {
    const { yaml } = await docs();
    res.set('Cache-Control', 'no-cache').type('application/yaml').send(yaml);
  });

  return router;
}
