import { describe, expect, test } from 'vitest';
import { dailyCounts as projection } from '../src/projections/daily-counts.ts';
import type { Projection } from '../src/projection.ts';
import { AT, project } from './given.ts';
import { SAMPLES } from './samples.ts';

const dailyCounts = projection as unknown as Projection;
const day = AT.slice(0, 10);

describe('daily counts', () => {
  test('AccountRegistered is a sign-up of its day', () => {
    expect(project(dailyCounts, SAMPLES.AccountRegistered, SAMPLES.AccountRegistered)).toEqual({
      [day]: { day, sign_ups: 2, ads: 0, reports: 0 },
    });
  });
  test('AdPosted is an ad of its day', () => {
    expect(project(dailyCounts, SAMPLES.AdPosted)).toEqual({ [day]: { day, sign_ups: 0, ads: 1, reports: 0 } });
  });
  test('ReportFiled is a report of its day', () => {
    expect(project(dailyCounts, SAMPLES.ReportFiled, SAMPLES.AccountRegistered)).toEqual({
      [day]: { day, sign_ups: 1, ads: 0, reports: 1 },
    });
  });
  test('who closes their account has signed up all the same', () => {
    expect(project(dailyCounts, SAMPLES.AccountRegistered, SAMPLES.AccountClosed)).toMatchObject({
      [day]: { sign_ups: 1 },
    });
  });
});
