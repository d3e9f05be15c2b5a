import { openApiDocument } from '@alpenglow/domain/api';
import { stringify } from 'yaml';

/** The API document as YAML: what `/api/docs/openapi.yaml` answers and `openapi.yaml` in the repository holds. */
export function openApiYaml(version: string): string {
  return stringify(openApiDocument({ version }), { aliasDuplicateObjects: false, lineWidth: 0 });
}
