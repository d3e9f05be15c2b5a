import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createOpenApiDocument } from '@alpenglow/domain/api';
import { createOperationRouter } from '@alpenglow/infra';
import type { Request, Response } from 'express';

/**
 * Renders the two HTML pages of the API documentation. The renderer is loaded with the first request, because few
 * processes need it.
 */
async function makePages(version: string) {
  const { renderDocsPage, renderSchemaPage, CONTENT_SECURITY_POLICY } = await import('./page.ts');
  const document = createOpenApiDocument({ version });
  const compress = async (html: string) => ({ body: Buffer.from(html), gzipped: await promisify(gzip)(html) });
  const operations = await compress(renderDocsPage(document));
  const schemas = await compress(renderSchemaPage(document));
  return { operations, schemas, policy: CONTENT_SECURITY_POLICY };
}

/**
 * Renders the OpenAPI document as YAML. The renderer is loaded with the first request, because few processes need it.
 */
async function makeYaml(version: string) {
  const { createOpenApiYaml } = await import('./openapi-yaml.ts');
  return createOpenApiYaml(version);
}

/** The operations that return the API documentation as HTML pages and the OpenAPI document as YAML. */
export function docsRoutes(version: string) {
  const router = createOperationRouter();
  let pages: ReturnType<typeof makePages> | null = null;
  let yaml: ReturnType<typeof makeYaml> | null = null;

  const sendPage = (name: 'operations' | 'schemas') => async (req: Request, res: Response) => {
    const { [name]: page, policy } = await (pages ??= makePages(version));
    res.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' }).vary('Accept-Encoding').type('html');
    if (req.acceptsEncodings('gzip') === 'gzip') res.set('Content-Encoding', 'gzip').send(page.gzipped);
    else res.send(page.body);
  };
  router.on('readDocs', sendPage('operations'));
  router.on('readSchemaDocs', sendPage('schemas'));

  router.on('getDocument', async (_req, res) => {
    res
      .set('Cache-Control', 'no-cache')
      .type('application/yaml')
      .send(await (yaml ??= makeYaml(version)));
  });

  return router;
}
