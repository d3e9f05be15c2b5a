import { expect, test } from 'vitest';
import { identityChecks } from '../src/projections/identity-checks.ts';
import type { Projection } from '../src/projection.ts';
import { minutesLater, project } from './project.ts';
import { SAMPLES } from './samples.ts';

const checks = identityChecks as unknown as Projection;

test('IdentityCheckRequested opens a check; IdentityCheckDecided and IdentityEvidenceDestroyed update it', () => {
  expect(project(checks, SAMPLES.IdentityCheckRequested)).toEqual({
    anna: {
      account_id: 'anna',
      check_id: 'c1',
      files: 2,
      status: 'open',
      requested_at: minutesLater(0),
      decided_at: null,
      is_destroyed: false,
    },
  });
  const decided = project(checks, SAMPLES.IdentityCheckRequested, SAMPLES.IdentityCheckDecided);
  expect(decided['anna']).toMatchObject({ status: 'accepted', decided_at: minutesLater(1), is_destroyed: false });
  expect(
    project(checks, SAMPLES.IdentityCheckRequested, SAMPLES.IdentityCheckDecided, SAMPLES.IdentityEvidenceDestroyed)[
      'anna'
    ],
  ).toMatchObject({ status: 'accepted', is_destroyed: true });
});

test('AccountClosed ends an open check, does not change a decided check, and creates no row', () => {
  expect(project(checks, SAMPLES.IdentityCheckRequested, SAMPLES.AccountClosed)['anna']).toMatchObject({
    status: 'ended',
    decided_at: null,
    is_destroyed: false,
  });
  expect(
    project(checks, SAMPLES.IdentityCheckRequested, SAMPLES.AccountClosed, SAMPLES.IdentityEvidenceDestroyed)['anna'],
  ).toMatchObject({ status: 'ended', is_destroyed: true });
  expect(
    project(checks, SAMPLES.IdentityCheckRequested, SAMPLES.IdentityCheckDecided, SAMPLES.AccountClosed)['anna'],
  ).toMatchObject({ status: 'accepted' });
  expect(
    project(checks, SAMPLES.IdentityCheckRequested, SAMPLES.AccountClosed, SAMPLES.IdentityCheckRequested)['anna'],
  ).toMatchObject({ status: 'open' });
  expect(project(checks, SAMPLES.AccountClosed)).toEqual({});
});
