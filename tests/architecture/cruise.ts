import { existsSync } from 'node:fs';
import path from 'node:path';
import { cruise, type IViolation } from 'dependency-cruiser';
import { RULES } from './rules.ts';

const FOLDERS = [
  'domain',
  'infra',
  'command-api',
  'query-api',
  'projectors',
  'workers',
  'ui',
  'shell',
  'mf-listings',
  'mf-post-ad',
  'mf-community',
  'mf-admin',
  'tests',
];

export interface Cruise {
  readonly moduleCount: number;
  readonly violations: readonly string[];
}

/** Holds the tree below `root` against the rules; a violation reads `rule: from → to`. */
export async function cruiseTree(root: string): Promise<Cruise> {
  const folders = FOLDERS.filter((folder) => existsSync(path.join(root, folder)));
  const { output } = await cruise(
    folders,
    {
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: RULES },
      exclude: {
        path: [
          '(^|/)(dist|\\.build)/',
          '^(domain|infra|command-api|query-api|projectors|workers|ui|shell|mf-[^/]+|tests)/node_modules/.*/node_modules/',
        ],
      },
      doNotFollow: { path: 'node_modules' },
      // Type imports count: they tie packages together as much as others do.
      tsPreCompilationDeps: true,
      combinedDependencies: true,
    },
    {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.css'],
      conditionNames: ['import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  );
  if (typeof output === 'string') throw new Error('dependency-cruiser was to answer with data');
  return { moduleCount: output.modules.length, violations: output.summary.violations.map(describe) };
}

const describe = ({ rule, from, to }: IViolation): string => `${rule.name}: ${from} → ${to}`;
