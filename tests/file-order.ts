import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { randomNumbers } from './support/random.ts';

/**
 * Runs the slow test files in random order. `.ci/run` may not have time for all of them, and two runs should leave out
 * different ones.
 */
export default class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ project }: TestSpecification) => project.name.startsWith('long');
    const random = randomNumbers(Date.now());
    const long = files.filter(isLong).map((file) => ({ file, order: random() }));
    return [
      ...(await super.sort(files.filter((file) => !isLong(file)))),
      ...long.toSorted((a, b) => a.order - b.order).map(({ file }) => file),
    ];
  }
}
