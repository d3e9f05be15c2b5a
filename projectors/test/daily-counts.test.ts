import { describe, expect, test } from 'vitest';
import { dailyCounts as projection } from '../src/projections/daily-counts.ts';
import type { Projection } from '../src/projection.ts';
import { STARTED_AT, project } from './project.ts';
import { SAMPLES } from './samples.ts';

const dailyCounts = projection as unknown as Projection;
const day = STARTED_AT.slice(0, 10);

describe('daily counts', () => {
  test('AccountRegistered counts as a sign-up of its day', () => {
    expect(project(dailyCounts, SAMPLES.AccountRegistered, SAMPLES.AccountRegistered)).toEqual({
      [day]: { day, sign_ups: 2, ads: 0, reports: 0 },
    });
  });
  test('AdPosted counts as an ad of its day', () => {
    expect(project(dailyCounts, SAMPLES.AdPosted)).toEqual({ [day]: { day, sign_ups: 0, ads: 1, reports: 0 } });
  });
  test('ReportFiled counts as a report of its day', () => {
    expect(project(dailyCounts, SAMPLES.ReportFiled, SAMPLES.AccountRegistered)).toEqual({
      [day]: { day, sign_ups: 1, ads: 0, reports: 1 },
    });
  });
  test('AccountClosed does not change the number of sign-ups', () => {
    expect(project(dailyCounts, SAMPLES.AccountRegistered, SAMPLES.AccountClosed)).toMatchObject({
      [day]: { sign_ups: 1 },
    });
  });
});
