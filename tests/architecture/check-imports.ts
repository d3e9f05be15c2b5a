import { readFileSync } from 'node:fs';
import path from 'node:path';
import { cruise, type IModule, type IViolation } from 'dependency-cruiser';
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
          '^(domain|infra|launcher|command-api|query-api|projectors|workers|ui|shell|mf-[^/]+|tests|bench|prove)' +
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
  const undeclared = folders.flatMap((folder) => {
    const declared = readDeclaredPackages(path.join(root, folder));
    return output.modules
      .filter(({ source }) => source.startsWith(`${folder}/`))
      .flatMap((module) => findUndeclaredPackages(module, declared));
  });
  return {
    moduleCount: output.modules.length,
    violations: [...output.summary.violations.map(describe), ...undeclared],
  };
}

/** The packages that only the root declares, because every workspace uses them. */
const DECLARED_IN_ROOT = ['vitest'];

/** Returns the packages that a workspace declares, and the workspace itself. */
function readDeclaredPackages(folder: string): ReadonlySet<string> {
  const { name, dependencies, devDependencies } = JSON.parse(
    readFileSync(path.join(folder, 'package.json'), 'utf8'),
  ) as { readonly name: string; readonly dependencies?: object; readonly devDependencies?: object };
  return new Set([name, ...DECLARED_IN_ROOT, ...Object.keys({ ...dependencies, ...devDependencies })]);
}

/**
 * Returns the imports of packages that the workspace does not declare. dependency-cruiser itself accepts packages that
 * the root declares.
 */
function findUndeclaredPackages({ source, dependencies }: IModule, declared: ReadonlySet<string>): readonly string[] {
  return dependencies
    .filter(({ dependencyTypes }) => dependencyTypes.some((type) => type.startsWith('npm')))
    .map(({ module }) => /^(?:@[^/]+\/)?[^/]+/u.exec(module)?.[0] ?? module)
    .filter((name) => !declared.has(name))
    .map((name) => `declared-dependencies-only: ${source} → ${name}`);
}

const describe = ({ rule, from, to }: IViolation): string => `${rule.name}: ${from} → ${to}`;
