import { createOpenApiDocument } from '@alpenglow/domain/api';
import { Document, isCollection, isPair, visit } from 'yaml';

/** The approximate maximum length of a line. */
const LINE_LENGTH = 240;

/**
 * Returns the OpenAPI document as YAML. This text is the content of the file `openapi.yaml` and of the URL
 * `/api/docs/openapi.yaml`. A list or an object is written on one line if it fits and
 * none of its texts has a line break.
 */
export function createOpenApiYaml(version: string): string {
  const document = new Document(createOpenApiDocument({ version }), { aliasDuplicateObjects: false });
  visit(document, {
    Collection(_key, node, ancestors) {
      const depth = ancestors.filter(isCollection).length;
      const parent = ancestors.at(-1);
      const start = 2 * depth + (isPair(parent) ? String(parent.key).length : 0);
      const json = JSON.stringify(node);
      if (depth === 0 || json.includes(String.raw`\n`) || start + json.length > LINE_LENGTH) return;
      node.flow = true;
      return visit.SKIP;
    },
  });
  return document.toString({ lineWidth: LINE_LENGTH });
}
