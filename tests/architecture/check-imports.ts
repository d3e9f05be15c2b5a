import { readFileSync } from 'node:fs';
import path from 'node:path';
import { cruise, type IViolation } from 'dependency-cruiser';
import { RULES } from './rules.ts';

export interface ImportCheck {
  readonly moduleCount: number;
  readonly violations: readonly string[];
}

/**
 * Checks the workspaces below `root` against the import rules. A violation has the format `rule: from → to`.
 */
export async function checkImports(root: string): Promise<ImportCheck> {
  const manifest = readFileSync(path.join(root, 'package.json'), 'utf8');
  const { workspaces: folders } = JSON.parse(manifest) as { readonly workspaces: string[] };
  const { output } = await cruise(
    folders,
    {
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: RULES },
      exclude: {
        path: [
          '(^|/)(dist|\\.build)/',
          '^(domain|infra|launcher|command-api|query-api|projectors|workers|ui|shell|mf-[^/]+|tests)' +
            '/node_modules/.*/node_modules/',
        ],
      },
      doNotFollow: { path: 'node_modules' },
      // Type imports are checked too, because they also create dependencies.
      tsPreCompilationDeps: true,
      combinedDependencies: true,
    },
    {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.css'],
      conditionNames: ['import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  );
  if (typeof output === 'string') throw new Error('dependency-cruiser did not return an object');
  return { moduleCount: output.modules.length, violations: output.summary.violations.map(describe) };
}

const describe = ({ rule, from, to }: IViolation): string => `${rule.name}: ${from} → ${to}`;
