import { readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.resolve(import.meta.dirname, '../../infra/deploy');
const HEADER = `# The alert rules as a resource of the Prometheus operator. \`npm run docs\` writes this file from
# infra/deploy/alerts.yaml and infra/deploy/alerts-cluster.yaml.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: { name: alpenglow, labels: { app.kubernetes.io/component: monitoring } }
spec:
  groups:
`;

/** Returns the resource of the Prometheus operator with all alert rules. */
export function createPrometheusRule(): string {
  const groups = ['alerts.yaml', 'alerts-cluster.yaml'].map(
    (file) => readFileSync(path.join(FOLDER, file), 'utf8').split(/^groups:\n/mu)[1] ?? '',
  );
  return `${HEADER}${groups.join('').replaceAll(/^(?=.)/gmu, '  ')}`;
}
