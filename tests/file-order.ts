import { BaseSequencer, RandomSequencer, type TestSpecification } from 'vitest/node';

/**
 * Runs the slow test files in random order. `.ci/run` may not have time for all of them, and two runs should leave out
 * different ones.
 */
export default class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => moduleId.includes('.long.test.');
    return [
      ...(await super.sort(files.filter((file) => !isLong(file)))),
      ...(await new RandomSequencer(this.ctx).sort(files.filter(isLong))),
    ];
  }
}
